import { conflict } from '../../shared/domain/errors.ts';
import { ownerId, type Variable } from '../../shared/domain/workspace/variable.ts';
import { isEqualText } from '../../shared/encryption/fingerprint.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { verificationResource } from '../../shared/resources/variables/response.ts';
import type { VariableDependencies } from './dependencies.ts';
import { findVariable } from './find.ts';

/**
 * `POST /workspaces/:workspace_id/vars/:variable_id/actions/verify` (VAR-16): tells whether a value is that of the variable.
 * The response is sent only after the verification was recorded.
 */
export const verifyVariable =
  (dependencies: VariableDependencies): Operation<'workspace-variables.verify'> =>
  async ({ contextFor, digest, parameters, body: { value } }) => {
    const { access, variable } = await findVariable(dependencies, digest, parameters, 'variable.update');
    const matches = await compareValue(dependencies, digest, variable, value);
    await dependencies.store.variables.recordVerification(
      access.workspace,
      variable,
      matches,
      contextFor(access.caller),
    );
    return { data: verificationResource(variable, matches) };
  };

/**
 * Compares a value with that of a variable, in constant time.
 * @throws DomainError 409 if the variable has no value, or one without a fingerprint; 429 if the token has reached the limit.
 */
export const compareValue = async (
  { fingerprints, countVerification }: Pick<VariableDependencies, 'fingerprints' | 'countVerification'>,
  digest: string,
  variable: Variable,
  value: string,
): Promise<boolean> => {
  const { content, fingerprint } = variable;
  if ('reference' in content)
    throw conflict('The variable has a value reference, and no value that could be verified.');
  if ('encryptedValue' in content && fingerprint === undefined) throw withoutFingerprint();
  await countVerification(digest);
  if ('value' in content) return isEqualText(content.value, value);
  const matches = await fingerprints.verify(String(fingerprint), { owner: ownerId(variable), id: variable.id, value });
  if (matches === undefined) throw withoutFingerprint();
  return matches;
};

const withoutFingerprint = () =>
  conflict('The value was written before fingerprints existed, or under another key. Set it again to verify it later.');
