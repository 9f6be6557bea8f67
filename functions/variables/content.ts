import { type Draft, encryptionContext, type Variable } from '../../shared/domain/workspace/variable.ts';
import type { Encrypt } from '../../shared/encryption/encrypt.ts';

/** Converts a draft to the stored variable. Secret values are encrypted before they leave the memory of the function. */
export const encryptContent = async (encrypt: Encrypt, { content, ...draft }: Draft): Promise<Variable> => ({
  ...draft,
  content: 'secret' in content ? { sealed: await encrypt(content.secret, encryptionContext(draft)) } : content,
});
