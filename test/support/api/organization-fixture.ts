import { expect } from 'vitest';
import { expectRejection } from '../models/arbitraries/arbitraries-checks.ts';
import { type Api, type ApiResponse, startApi } from './api.ts';

/** Organization with an API and helpers that create and update workspaces in it. */
export interface OrganizationFixture {
  readonly api: Api;
  readonly owner: string;
  /** Runs a command of the admin function. @throws Error if it fails. */
  // biome-ignore lint/suspicious/noExplicitAny: the response differs by command.
  readonly admin: (command: string, parameters: Record<string, unknown>) => Promise<any>;
  /** Sends a create request, with a unique name unless one is given. */
  readonly create: (attributes?: object, relationships?: object) => Promise<ApiResponse>;
  /** Creates a workspace and asserts that the request succeeds. */
  readonly createWorkspace: (attributes?: object, relationships?: object) => Promise<Workspace>;
  readonly update: (workspace: Workspace, attributes?: object, relationships?: object) => Promise<ApiResponse>;
  readonly show: (workspace: Workspace) => Promise<Attributes>;
  /** Sends the attributes in a create request and in an update of another workspace, and returns both responses. */
  readonly createAndUpdate: (attributes: object) => Promise<readonly ApiResponse[]>;
}

/** Id and name of a workspace. */
export interface Workspace {
  readonly id: string;
  readonly name: string;
}

// biome-ignore lint/suspicious/noExplicitAny: attributes are of every type.
export type Attributes = Readonly<Record<string, any>>;

/** Name of the organization of the fixture. */
export const ORGANIZATION = 'acme';

/** Returns the attributes of the resource in a response. */
export const readAttributes = ({ status, body }: ApiResponse): Attributes => {
  expect(body, `a response with status ${status}`).toHaveProperty('data');
  return body.data.attributes;
};

/** Asserts that the response is a 422 with a single error that points at the attribute. */
export const expectInvalid = (reply: ApiResponse, attribute: string, detail: RegExp = /./): void => {
  expectRejection(reply);
  expect(reply.status, JSON.stringify(reply.body)).toBe(422);
  expect(reply.body.errors).toEqual([
    {
      status: '422',
      title: 'invalid attribute',
      detail: expect.stringMatching(detail),
      source: { pointer: `/data/attributes/${attribute}` },
    },
  ]);
};

let fixtures = 0;

/** Starts an API with an organization. `options` configure the deployment, `settings` the organization. */
export const createOrganizationFixture = async (
  options: Parameters<typeof startApi>[0] = {},
  settings: Record<string, unknown> = {},
): Promise<OrganizationFixture> => {
  const api = await startApi(options);
  fixtures += 1;
  const admin: OrganizationFixture['admin'] = async (command, parameters) => {
    const response = await api.admin(command, parameters);
    if (response.errors)
      throw new Error(`${command} ${JSON.stringify(parameters)}: ${JSON.stringify(response.errors)}`);
    return response;
  };
  const organization = await admin('create-organization', {
    name: ORGANIZATION,
    email: 'ada@example.com',
    ...settings,
  });
  const owner: string =
    organization.token ?? (await admin('create-token', { kind: 'organization', organization: ORGANIZATION })).token;

  let made = 0;
  const request = (method: string, path: string, attributes?: object, relationships?: object) =>
    api.request(method, path, {
      token: owner,
      body: {
        data: { type: 'workspaces', ...(attributes && { attributes }), ...(relationships && { relationships }) },
      },
    });

  const create: OrganizationFixture['create'] = (attributes = {}, relationships) =>
    request(
      'POST',
      `/organizations/${ORGANIZATION}/workspaces`,
      { name: `w-${fixtures}-${++made}`, ...attributes },
      relationships,
    );
  const createWorkspace: OrganizationFixture['createWorkspace'] = async (attributes, relationships) => {
    const { status, body } = await create(attributes, relationships);
    expect(status, JSON.stringify(body)).toBe(201);
    return { id: body.data.id, name: body.data.attributes.name };
  };
  const show: OrganizationFixture['show'] = async ({ id }) =>
    readAttributes(await api.request('GET', `/workspaces/${id}`, { token: owner }));
  const update: OrganizationFixture['update'] = async (workspace, attributes, relationships) => {
    const before = await show(workspace);
    const reply = await request('PATCH', `/workspaces/${workspace.id}`, attributes, relationships);
    expect(await show(workspace), 'what is stored afterwards').toEqual(
      reply.status === 200 ? reply.body.data.attributes : before,
    );
    return reply;
  };
  return {
    api,
    owner,
    admin,
    create,
    createWorkspace,
    update,
    show,
    createAndUpdate: async (attributes) => [
      await create(attributes),
      await update(await createWorkspace(), attributes),
    ],
  };
};
