import { describeMatrix } from '../support/matrix-run.ts';

describeMatrix('run');
