import { describe } from 'vitest';
import { describeMatrix } from '../../support/matrix/matrix-run.ts';

/** The access of these callers follows from their token or from permissions on the organization. */
describe.each(['organization', 'token', 'run'] as const)('permissions of callers by %s', describeMatrix);
