import type { ListDependencies } from '../../shared/runtime/dependencies.ts';
import type { WithDirectory } from '../../shared/runtime/with-directory.ts';

/** Dependencies of the operations on projects. */
export type ProjectDependencies = WithDirectory<ListDependencies>;
