import type { ExecutionMode } from '../../../../../shared/client/types.ts';
import { toOptions } from '../../components/form.tsx';
import { modeLabels } from '../../lib/words.ts';

/** Returns the execution modes that can be a default. `agent` needs an agent pool, so it is offered only if it is the present one. */
export const defaultModes = (present?: ExecutionMode | null) =>
  toOptions(modeLabels).filter(({ value }) => value !== 'agent' || value === present);
