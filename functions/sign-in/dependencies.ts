import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import type { WithDirectory } from '../../shared/runtime/with-directory.ts';
import type { RecordRefusal } from '../../shared/store/directory/workload-identities/refused-exchanges.ts';
import type { Examine } from './examine-token.ts';

/** Dependencies of the operations of OAuth 2.0 and of tests of identity tokens. */
export interface SignInDependencies extends WithDirectory<Dependencies> {
  readonly examine: Examine;
  readonly recordRefusal: RecordRefusal;
}
