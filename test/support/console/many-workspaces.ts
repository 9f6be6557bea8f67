import type { Page } from 'playwright-core';

/** Number of workspaces that `serveManyWorkspaces` simulates. */
export const MANY = 10_000;

const PAGE_SIZE = 100;

/**
 * Answers the requests of a page for lists of workspaces as if there were 10,000 of them.
 * @param template a workspace of the service. All workspaces have its attributes, except for the id and the name.
 * @returns the numbers of the pages that were requested.
 */
export const serveManyWorkspaces = async (
  page: Page,
  template: {
    readonly id: string;
    readonly attributes: object;
    readonly relationships: {
      readonly project: { readonly data: { readonly id: string } };
      readonly 'locked-by': { readonly data: { readonly id: string } | null };
    };
  },
): Promise<readonly number[]> => {
  const requested: number[] = [];
  const { project, 'locked-by': holder } = template.relationships;
  const included = [
    { type: 'projects', id: project.data.id, attributes: { name: 'Default Project' } },
    { type: 'users', id: holder.data?.id, attributes: { username: 'ada' } },
  ];
  await page.route('**/api/v2/organizations/*/workspaces?*', async (route) => {
    const number = Number(new URL(route.request().url()).searchParams.get('page[number]'));
    requested.push(number);
    const data = Array.from({ length: PAGE_SIZE }, (_, index) => ({
      ...template,
      id: `${template.id}-${number}-${index}`,
      attributes: { ...template.attributes, name: `workspace-${(number - 1) * PAGE_SIZE + index}` },
    }));
    await route.fulfill({
      json: { data, included, meta: { pagination: { 'total-count': MANY }, 'status-counts': { total: MANY } } },
    });
  });
  return requested;
};
