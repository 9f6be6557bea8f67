import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { routeIds, routes } from '../../shared/routes.ts';
import { endpointTestFiles } from '../support/endpoint-tests.ts';
import { readReadme, testsInReadme, withTables } from '../support/readme.ts';

it('lists the settings, alarms, editions and endpoints as the code has them', () => {
  expect(readReadme()).toBe(withTables(readReadme()));
  expect(readReadme()).toContain('| `throttlingRate` | `500` |');
  expect(readReadme()).toContain('| `table-throttles` |');
  expect(readReadme()).toContain('| `assessments-enabled`, `assessments-enforced` |');
});

it('names a test that there is for every endpoint', () => {
  const tests = endpointTestFiles().map((file) => basename(file, '.test.ts'));
  const named = testsInReadme(readReadme());
  for (const id of routeIds) {
    const [test, ...others] = named.get(id) ?? [];
    expect(test, id).toBeTruthy();
    for (const it of [test, ...others]) expect(tests, id).toContain(it);
  }
});

it('has an endpoint to show for every action of its state diagram', () => {
  const paths = routeIds.map((id) => routes[id].path);
  for (const action of ['lock', 'unlock', 'force-unlock', 'safe-delete']) {
    expect(readReadme()).toContain(action);
    expect(paths.some((path) => path.endsWith(`/actions/${action}`))).toBe(true);
  }
});
