import { describe } from 'vitest';
import { describeMatrix } from '../../support/matrix/matrix-run.ts';

describe.each(['project', 'workspace'] as const)('permissions on a %s', describeMatrix);
