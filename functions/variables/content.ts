import {
  type Content,
  type Draft,
  encryptionContext,
  ownerId,
  type Variable,
  valueToFingerprint,
} from '../../shared/domain/workspace/variable.ts';
import type { VariableDependencies } from './dependencies.ts';

/**
 * Converts a draft to the stored variable. Secret values are encrypted before they leave the memory of the function, at the
 * same time as their fingerprints are computed (VAR-15).
 */
export const encryptContent = async (
  { encrypt, fingerprints }: Pick<VariableDependencies, 'encrypt' | 'fingerprints'>,
  draft: Draft,
): Promise<Variable> => {
  const { content } = draft;
  const value = valueToFingerprint(draft);
  const [stored, fingerprint] = await Promise.all([
    'secret' in content ? encryptSecret(encrypt(content.secret, encryptionContext(draft))) : content,
    value === undefined ? draft.fingerprint : fingerprints.compute({ owner: ownerId(draft), id: draft.id, value }),
  ]);
  return { ...draft, content: stored, fingerprint };
};

const encryptSecret = async (ciphertext: Promise<Uint8Array>): Promise<Content> => ({
  encryptedValue: await ciphertext,
});
