import { describe } from 'vitest';
import { describeForeign, parts } from '../../support/matrix/foreign-run.ts';

describe.each(parts)('foreign ids in requests about %s', describeForeign);
