import { describe } from 'vitest';
import { describeForeignIdentifiers, parts } from '../../support/foreign-identifiers/suite.ts';

describe.each(parts)('foreign ids in requests about %s', describeForeignIdentifiers);
