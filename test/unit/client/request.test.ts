import { expect, test } from 'vitest';
import { cursorOf } from '../../../shared/client/history.ts';
import { createSshKey } from '../../../shared/client/integrations.ts';
import { apiRequest, toCurl } from '../../../shared/client/request.ts';
import { updateWorkspace } from '../../../shared/client/workspaces.ts';

const origin = 'https://holdfast.example.com';

test('encodes the parameters of the path and of the query, and leaves out empty filters', () => {
  const { url } = apiRequest('get', '/api/v2/organizations/{organization_name}/workspaces', {
    path: { organization_name: 'a/b' },
    query: { 'search[name]': '', include: ['project', 'readme'], 'page[size]': 2 },
  });
  expect(url).toBe('/api/v2/organizations/a%2Fb/workspaces?include=project%2Creadme&page%5Bsize%5D=2');
});

test('describes a PUT request', () => {
  const request = apiRequest('put', '/api/v2/recoverable-items/{workspace_id}/actions/recover', {
    path: { workspace_id: 'ws-1' },
  });
  expect(request).toMatchObject({ method: 'PUT', url: '/api/v2/recoverable-items/ws-1/actions/recover' });
});

test('renders a request as a curl command that a shell reads as it was entered', () => {
  const request = updateWorkspace('ws-1', { attributes: { description: "It's new" } }, '"7"');
  expect(toCurl(request, origin)).toBe(`curl -sS -g -X PATCH \\
  'https://holdfast.example.com/api/v2/workspaces/ws-1' \\
  -H "Authorization: Bearer $HOLDFAST_TOKEN" \\
  -H 'If-Match: "7"' \\
  -H 'Content-Type: application/vnd.api+json' \\
  -d '{
  "data": {
    "type": "workspaces",
    "attributes": {
      "description": "It'\\''s new"
    }
  }
}'`);
});

test('renders a placeholder for a secret in a curl command', () => {
  const command = toCurl(createSshKey('acme', { name: 'deploy', value: 'private' }), origin);
  expect(command).toContain('"value": "<value>"');
  expect(command).not.toContain('private');
});

test.each([
  ['https://holdfast.example.com/api/v2/workspaces/ws-1/history?q=a?b&page%5Bafter%5D=abc%3D', 'abc='],
  ['/api/v2/workspaces/ws-1/history?page[after]=abc', 'abc'],
  ['/api/v2/workspaces/ws-1/history', undefined],
  [null, undefined],
  [undefined, undefined],
])('finds the cursor of the next page in the link %s', (next, cursor) => {
  expect(cursorOf(next)).toBe(cursor);
});
