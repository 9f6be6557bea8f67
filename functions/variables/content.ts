import { type Draft, encryptionContext, type Variable } from '../../shared/domain/workspace/variable.ts';
import type { Encrypt } from '../../shared/encryption/encrypt.ts';

/** The variable as it is stored: a secret leaves the function's memory only when it is sealed. */
export const sealed = async (encrypt: Encrypt, { content, ...draft }: Draft): Promise<Variable> => ({
  ...draft,
  content: 'secret' in content ? { sealed: await encrypt(content.secret, encryptionContext(draft)) } : content,
});
