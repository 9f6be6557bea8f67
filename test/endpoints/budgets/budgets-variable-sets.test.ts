import { describe } from 'vitest';
import {
  type BudgetedOperation,
  type BudgetFixture,
  describeBudgets,
  ORGANIZATION,
  useBudgetFixtures,
} from '../../support/budgets/budgets.ts';

/** Variable sets that a project owns, with two variables of at most 1 KB each. The caller is admin on the project. */
const filling = { category: 'env', value: 'v'.repeat(300), description: 'd'.repeat(200) };
const variableDocument = (attributes: object) => ({ data: { type: 'vars', attributes } });
const setDocument = (attributes: object, project?: string) => ({
  data: {
    type: 'varsets',
    attributes,
    ...(project && { relationships: { parent: { data: { type: 'projects', id: project } } } }),
  },
});
const identifiers = (type: string, id: string) => ({ data: [{ type, id }] });

interface Filled {
  readonly set: string;
  readonly variable: string;
  readonly workspace: string;
}

/** Creates a variable set with two variables that is assigned to a workspace. */
const fill = async (name: string, { request, create, projects }: BudgetFixture): Promise<Filled> => {
  const workspace = await create(name);
  const creation = await request('POST', `/organizations/${ORGANIZATION}/varsets`, setDocument({ name }, projects[0]));
  const set: string = creation.body.data.id;
  const path = `/varsets/${set}/relationships`;
  await request('POST', `${path}/vars`, variableDocument({ key: 'first', ...filling }));
  const { body } = await request('POST', `${path}/vars`, variableDocument({ key: 'second', ...filling }));
  await request('POST', `${path}/workspaces`, identifiers('workspaces', workspace));
  return { set, variable: body.data.id, workspace };
};

/** Prepares a request about a variable set. */
const on =
  (
    method: string,
    path: (filled: Filled, fixture: BudgetFixture) => string,
    body?: (filled: Filled, fixture: BudgetFixture) => object,
  ): BudgetedOperation['prepare'] =>
  async (name, fixture) => {
    const filled = await fill(name, fixture);
    return () => fixture.request(method, path(filled, fixture), body?.(filled, fixture));
  };

/** Creates a variable set that a project owns and, if requested, is assigned to. */
const ofProject = async (name: string, project: string, { request }: BudgetFixture, assigned: boolean) => {
  const { body } = await request('POST', `/organizations/${ORGANIZATION}/varsets`, setDocument({ name }, project));
  const path = `/varsets/${body.data.id}/relationships/projects`;
  if (assigned) await request('POST', path, identifiers('projects', project));
  return (method: string) => () => request(method, path, identifiers('projects', project));
};

/** Creates a variable set of the second project. */
const ofSecondProject = (name: string, fixture: BudgetFixture, assigned: boolean) =>
  ofProject(name, fixture.projects[1] ?? '', fixture, assigned);

/** Creates a project of its own for an operation, with one grant for a team of the user. */
const createProject = async (name: string, { api }: BudgetFixture): Promise<string> => {
  const { project } = await api.admin('create-project', { organization: ORGANIZATION, name });
  await api.admin('grant-access', { organization: ORGANIZATION, team: 'team-0', project: project.id, access: 'admin' });
  return project.id;
};

const bySet = ({ set }: Filled) => `/varsets/${set}`;
const variables = ({ set }: Filled) => `/varsets/${set}/relationships/vars`;
const byVariable = ({ set, variable }: Filled) => `/varsets/${set}/relationships/vars/${variable}`;

const operations: readonly BudgetedOperation[] = [
  {
    name: 'create a variable set',
    status: 201,
    budget: { rounds: 4, read: 3, write: 11 },
    prepare: async (name, { request, projects }) => {
      return () => request('POST', `/organizations/${ORGANIZATION}/varsets`, setDocument({ name }, projects[0]));
    },
  },
  { name: 'show a variable set', status: 200, budget: { rounds: 3, read: 4.5, write: 0 }, prepare: on('GET', bySet) },
  {
    name: 'update a variable set',
    status: 200,
    budget: { rounds: 5, read: 5.5, write: 1 },
    prepare: on('PATCH', bySet, () => setDocument({ description: 'changed' })),
  },
  {
    name: 'delete a variable set',
    status: 204,
    budget: { rounds: 4, read: 3.5, write: 8 },
    prepare: on('DELETE', bySet),
  },
  {
    name: 'assign a variable set to a workspace',
    status: 204,
    budget: { rounds: 5, read: 4.5, write: 8 },
    prepare: async (name, fixture) => {
      const { set } = await fill(name, fixture);
      const workspace = await fixture.create(`${name}-other`);
      const path = `/varsets/${set}/relationships/workspaces`;
      return () => fixture.request('POST', path, identifiers('workspaces', workspace));
    },
  },
  {
    name: 'remove a variable set from a workspace',
    status: 204,
    budget: { rounds: 4, read: 3.5, write: 4 },
    prepare: on(
      'DELETE',
      ({ set }) => `/varsets/${set}/relationships/workspaces`,
      ({ workspace }) => identifiers('workspaces', workspace),
    ),
  },
  {
    name: 'assign a variable set to a project',
    status: 204,
    budget: { rounds: 5, read: 4.5, write: 6 },
    prepare: async (name, fixture) => (await ofSecondProject(name, fixture, false))('POST'),
  },
  {
    name: 'remove a variable set from a project',
    status: 204,
    budget: { rounds: 4, read: 3.5, write: 4 },
    prepare: async (name, fixture) => (await ofSecondProject(name, fixture, true))('DELETE'),
  },
  {
    name: 'create a variable of a variable set',
    status: 201,
    budget: { rounds: 4, read: 3.5, write: 7 },
    prepare: on('POST', variables, () => variableDocument({ key: 'third', ...filling })),
  },
  {
    name: 'show a variable of a variable set',
    status: 200,
    budget: { rounds: 2, read: 4.5, write: 0 },
    prepare: on('GET', byVariable),
  },
  {
    name: 'list the variables of a variable set',
    status: 200,
    budget: { rounds: 2, read: 3.5, write: 0 },
    prepare: on('GET', variables),
  },
  {
    name: 'update a variable of a variable set',
    status: 200,
    budget: { rounds: 4, read: 5.5, write: 4 },
    prepare: on('PATCH', byVariable, () => variableDocument({ value: 'another' })),
  },
  {
    name: 'verify the value of a variable of a variable set',
    status: 200,
    budget: { rounds: 5, read: 5.5, write: 2 },
    prepare: on(
      'POST',
      (filled) => `${byVariable(filled)}/actions/verify`,
      () => ({ value: 'another' }),
    ),
  },
  {
    name: 'delete a variable of a variable set',
    status: 204,
    budget: { rounds: 4, read: 5.5, write: 7 },
    prepare: on('DELETE', byVariable),
  },
  {
    name: 'list the variable sets of an organization',
    status: 200,
    budget: { rounds: 6, read: 5.5, write: 0 },
    prepare: on('GET', () => `/organizations/${ORGANIZATION}/varsets?page[size]=1`),
  },
  {
    name: 'list the variable sets of a project',
    status: 200,
    budget: { rounds: 4, read: 5, write: 0 },
    prepare: async (name, fixture) => {
      const project = await createProject(name, fixture);
      await ofProject(name, project, fixture, true);
      return () => fixture.request('GET', `/projects/${project}/varsets`);
    },
  },
  {
    name: 'list the variable sets of a workspace',
    status: 200,
    budget: { rounds: 4, read: 7, write: 0 },
    prepare: on('GET', ({ workspace }) => `/workspaces/${workspace}/varsets?page[size]=1`),
  },
  {
    name: 'list the variable sets that can be assigned to a workspace',
    status: 200,
    budget: { rounds: 6, read: 9, write: 0 },
    prepare: on('GET', ({ workspace }) => `/workspaces/${workspace}/applicable-varsets?page[size]=1`),
  },
  {
    name: 'list the variables in force for a workspace',
    status: 200,
    budget: { rounds: 4, read: 7, write: 0 },
    prepare: on('GET', ({ workspace }) => `/workspaces/${workspace}/all-vars`),
  },
];

describe('DynamoDB usage of operations on variable sets', () => {
  describeBudgets(useBudgetFixtures(), operations);
});
