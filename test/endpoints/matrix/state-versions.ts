import { buildState, inlineStateVersionBody } from '../../support/api/states.ts';
import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';
import type { Testbed, TestWorkspace } from '../../support/matrix/testbed.ts';

interface CreateResult {
  readonly version: string;
  readonly output: string;
}

const content = buildState({ outputs: { name: { value: 'web', type: 'string' } } });

/** Creates a state version in a workspace, as an owner. */
const stateIn = async (testbed: Testbed, subject: TestWorkspace): Promise<CreateResult> => {
  await testbed.sendAsOwner('workspaces.lock', { subject });
  const body = inlineStateVersionBody(content, { force: true, 'json-state': 'e30=' });
  await testbed.sendAsOwner('state-versions.create', { subject, body });
  await testbed.sendAsOwner('workspaces.unlock', { subject });
  const { data } = (await testbed.sendAsOwner('state-versions.current', { subject, query: 'include=outputs' })).body;
  return { version: data.id, output: data.relationships.outputs.data[0].id };
};

const rollbackTo = (id: string) => ({
  data: {
    type: 'state-versions',
    relationships: { 'rollback-state-version': { data: { type: 'state-versions', id } } },
  },
});

/** Creates two state versions in a workspace, as an owner, so that the first one is not needed. */
const twoStates = async (testbed: Testbed, subject: TestWorkspace): Promise<{ readonly old: string }> => {
  const { version: old } = await stateIn(testbed, subject);
  await stateIn(testbed, subject);
  return { old };
};

const onState = async ({ fixture, subject, send }: Trial<Fixture>) => {
  const { version = '', output = '' } = fixture.get(subject.id) ?? {};
  await send({ parameters: { state_version_id: version, state_version_output_id: output } });
};

type Fixture = ReadonlyMap<string, CreateResult>;
const ofFixture =
  (kind: keyof CreateResult) =>
  ({ fixture, subject }: Trial<Fixture>): readonly string[] => [fixture.get(subject.id)?.[kind] ?? ''];

/** State versions: reading states, reading outputs only and writing states are separate permissions. Writing requires the lock. */
export const group = matrixGroup<Fixture>({
  name: 'state versions',
  async prepare(testbed) {
    const made = new Map<string, CreateResult>();
    for (const subject of await Promise.all(testbed.callers.map(testbed.workspaceFor))) {
      made.set(subject.id, await stateIn(testbed, subject));
    }
    return made;
  },
  columns: {
    list: {
      routes: ['state-versions.list'],
      attempt: ({ testbed, subject, send }) =>
        send({ query: `filter[organization][name]=${testbed.organization}&filter[workspace][name]=${subject.name}` }),
      shows: { own: ofFixture('version') },
    },
    'list outputs': {
      routes: ['state-versions.outputs', 'state-versions.current-outputs'],
      attempt: ({ fixture, subject, send }) =>
        send({ parameters: { state_version_id: fixture.get(subject.id)?.version ?? '' } }),
      shows: { own: ofFixture('output') },
    },
    show: { routes: ['state-versions.show', 'state-versions.current', 'workspace-resources.list'], attempt: onState },
    download: { routes: ['state-versions.download', 'state-versions.json-download'], attempt: onState },
    'show an output': { routes: ['state-outputs.show'], attempt: onState },
    create: {
      routes: ['state-versions.create'],
      attempt: async ({ testbed, caller, subject, send }) => {
        if (!(await testbed.lockAs(caller, subject))) await testbed.sendAsOwner('workspaces.lock', { subject });
        await send({ body: inlineStateVersionBody(content, { force: true }) });
        await testbed.sendAsOwner('workspaces.force-unlock', { subject });
      },
    },
    'roll back': {
      routes: ['state-versions.roll-back'],
      attempt: async ({ testbed, caller, subject, fixture, send }) => {
        if (!(await testbed.lockAs(caller, subject))) await testbed.sendAsOwner('workspaces.lock', { subject });
        await send({ body: rollbackTo(fixture.get(subject.id)?.version ?? '') });
        await testbed.sendAsOwner('workspaces.force-unlock', { subject });
      },
    },
    'delete content': {
      routes: ['state-versions.soft-delete'],
      attempt: async ({ testbed, subject, send }) => {
        await send({ parameters: { state_version_id: (await twoStates(testbed, subject)).old } });
      },
    },
    'restore or delete it': {
      routes: ['state-versions.restore', 'state-versions.delete'],
      attempt: async ({ testbed, subject, send }) => {
        const parameters = { state_version_id: (await twoStates(testbed, subject)).old };
        await testbed.sendAsOwner('state-versions.soft-delete', { parameters });
        await send({ parameters });
      },
    },
    "create under another's lock": {
      routes: ['state-versions.create'],
      attempt: async ({ testbed, subject, send }) => {
        await testbed.sendAsOwner('workspaces.lock', { subject });
        await send({ body: inlineStateVersionBody(content, { force: true }) });
        await testbed.sendAsOwner('workspaces.unlock', { subject });
      },
    },
  },
  table: `
                                         | list    outputs | show download output | create rollback delete restore others
    owner                                | 200:own 200:own | 200  307      200    | 201    201      200    200     409
    manage-projects                      | 200:own 200:own | 200  307      200    | 201    201      404    404     409
    manage-workspaces                    | 200:own 200:own | 200  307      200    | 201    201      404    404     409
    organization token                   | 200:own 200:own | 200  307      200    | 404    404      404    404     404
    read everywhere                      | 200:own 200:own | 200  307      200    | 404    404      404    404     404
    read runs everywhere                 | 404     404     | 404  404      404    | 404    404      404    404     404

    project read                         | 200:own 200:own | 200  307      200    | 404    404      404    404     404
    project write                        | 200:own 200:own | 200  307      200    | 201    201      404    404     409
    project maintain                     | 200:own 200:own | 200  307      200    | 201    201      404    404     409
    project admin                        | 200:own 200:own | 200  307      200    | 201    201      404    404     409

    workspace read                       | 200:own 200:own | 200  307      200    | 404    404      404    404     404
    workspace write                      | 200:own 200:own | 200  307      200    | 201    201      404    404     409
    workspace admin                      | 200:own 200:own | 200  307      200    | 201    201      404    404     409

    custom                               | 404     404     | 404  404      404    | 404    404      404    404     404
    custom state-versions read-outputs   | 404     200:own | 404  404      200    | 404    404      404    404     404
    custom state-versions read           | 200:own 200:own | 200  307      200    | 404    404      404    404     404
    custom state-versions write          | 200:own 200:own | 200  307      200    | 201    201      404    404     409

    no access                            | 404     404     | 404  404      404    | 404    404      404    404     404
    own run                              | 200:own 200:own | 200  307      200    | 201    201      404    404     409
    run with access                      | 200:own 200:own | 200  307      200    | 404    404      404    404     404
    outsider                             | 404     404     | 404  404      404    | 404    404      404    404     404
    no valid token                       | 401     401     | 401  401      401    | 401    401      401    401     401
  `,
});
