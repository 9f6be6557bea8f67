import { type Draft, sealingContext, type Variable } from '../../shared/domain/variables/variable.ts';
import type { Seal } from '../../shared/encryption/encrypt.ts';

/** The variable as it is stored: a secret leaves the function's memory only when it is sealed. */
export const sealed = async (seal: Seal, { content, ...draft }: Draft): Promise<Variable> => ({
  ...draft,
  content: 'secret' in content ? { sealed: await seal(content.secret, sealingContext(draft)) } : content,
});
