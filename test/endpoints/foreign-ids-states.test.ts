import { describeForeign } from '../support/foreign-run.ts';

describeForeign('states');
