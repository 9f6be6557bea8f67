import { showProject } from '../../../../shared/client/projects.ts';
import { apiQuery } from './query-client.ts';

/** Builds the query of a project with its entity tag and its tag bindings (PROJECT-10). */
export const projectQuery = (id: string) => apiQuery(showProject(id));
