import { describeForeign } from '../../support/matrix/foreign-run.ts';

describeForeign('changes');
