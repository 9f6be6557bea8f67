import { DomainError } from '../../domain/errors.ts';
import { errorOf, type Validator } from '../../schemas/error-messages.ts';
import type { HttpMiddleware, HttpRequest } from '../request.ts';

/**
 * Validates the body against the schema of the route.
 * @param validators compiled validators of the bodies that the function takes, by the names of their schemas.
 */
export const validateBody = (validators: Readonly<Record<string, Validator>> = {}): HttpMiddleware => {
  const validateBodyBefore = ({ internal: { route, body } }: HttpRequest): void => {
    if (route?.body === undefined || (body === undefined && !route.body.required)) return;
    if (body === undefined) throw new DomainError('bad-request', 'The request needs a body.');
    const validate = validators[route.body.schema];
    if (validate === undefined) throw new TypeError(`No validator for ${route.body.schema}`);
    if (validate(body)) return;
    const [error] = validate.errors ?? [];
    throw error ? errorOf(error) : new DomainError('unprocessable');
  };
  return { before: validateBodyBefore };
};
