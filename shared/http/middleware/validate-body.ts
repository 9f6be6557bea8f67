import { DomainError } from '../../domain/errors.ts';
import { errorOf, findComplaint, type Validator } from '../../schemas/error-messages.ts';
import type { HttpRequest } from '../request.ts';

/**
 * Validates the body against the schema of the route. If the operation validates the body, the state gets a function that
 * validates and returns it.
 * @param validators compiled validators of the bodies that the function takes, by the names of their schemas.
 */
export const validateBody = (validators: Readonly<Record<string, Validator>> = {}) => {
  const validBody = (schema: string, body: unknown): unknown => {
    const validate = validators[schema];
    if (validate === undefined) throw new TypeError(`No validator for ${schema}`);
    const complaint = findComplaint(validate, body);
    if (complaint !== undefined) throw errorOf(complaint);
    return body;
  };
  return ({ internal }: HttpRequest): void => {
    const { route, body } = internal;
    if (route?.body === undefined || (body === undefined && !route.body.required)) return;
    if (body === undefined) throw new DomainError('bad-request', 'The request needs a body.');
    const { schema, validatedByOperation } = route.body;
    internal.body = validatedByOperation ? () => validBody(schema, body) : validBody(schema, body);
  };
};
