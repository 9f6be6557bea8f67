import type { RequestContext } from '../../../domain/changes/change-context.ts';
import { done } from '../../../domain/directory/transitions/plan.ts';
import type { Database } from '../../dynamodb/database.ts';
import { keys } from '../../dynamodb/keys.ts';
import { apply, type Table } from '../records/commit.ts';

/** Finds those of some identity providers that are disabled. @returns their names. */
export const findDisabledProviders = async (
  database: Database,
  names: readonly string[],
  consistent: boolean,
): Promise<ReadonlySet<string>> => {
  const items = await database.getAll(names.map(keys.disabledProvider), consistent);
  return new Set(items.map(({ name }) => String(name)));
};

/** Disables or enables an identity provider. @returns whether it was in the other state. */
export const setProviderDisabled = (
  table: Table,
  request: RequestContext,
  provider: string,
  disabled: boolean,
): Promise<boolean> =>
  apply<boolean>(table, request, async ({ at, previous }) => {
    const isDisabled = (await findDisabledProviders(table.database, [provider], true)).has(provider);
    // An earlier attempt was applied, its response having been lost.
    if (isDisabled === disabled) return done(previous ?? false);
    const effect = disabled
      ? ({ kind: 'disable-provider', provider, at } as const)
      : ({ kind: 'enable-provider', provider } as const);
    return { effects: [effect], result: true };
  });
