import { describeMatrix } from '../../support/matrix/matrix-run.ts';

describeMatrix('token');
