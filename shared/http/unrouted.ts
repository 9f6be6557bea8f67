import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { DomainError, notFound } from '../domain/errors.ts';
import { methodsOf } from '../routes.ts';
import type { Answer } from './answer.ts';
import { errorAnswer } from './json-api-errors.ts';

/** What no route matches: 405 where the path answers to other methods, else 404. */
export const answerUnrouted = (event: APIGatewayProxyEventV2): Answer => {
  const methods = methodsOf(event.rawPath);
  return errorAnswer(
    methods.length === 0 ? notFound() : new DomainError('method-not-allowed', undefined, { allow: methods }),
  );
};
