import { expect, it } from 'vitest';
import { routeIds, routes } from '../../shared/routes.ts';
import { readReadme, withTables } from '../support/readme.ts';

it('lists the settings, alarms and editions as the code has them', () => {
  expect(readReadme()).toBe(withTables(readReadme()));
  expect(readReadme()).toContain('| `throttlingRate` | `500` |');
  expect(readReadme()).toContain('| `table-throttles` |');
  expect(readReadme()).toContain('| `assessments-enabled`, `assessments-enforced` |');
});

it('has an endpoint to show for every action of its state diagram', () => {
  const paths = routeIds.map((id) => routes[id].path);
  for (const action of ['lock', 'unlock', 'force-unlock', 'safe-delete']) {
    expect(readReadme()).toContain(action);
    expect(paths.some((path) => path.endsWith(`/actions/${action}`))).toBe(true);
  }
});
