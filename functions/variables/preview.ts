import { isDeepStrictEqual } from 'node:util';
import { changedAttributes, variableCreated } from '../../shared/domain/transitions/relationships/change-variables.ts';
import type { RequestContext } from '../../shared/domain/transitions/transition.ts';
import { asRevised, type Draft, keyTaken, ownerId, type Variable } from '../../shared/domain/workspace/variable.ts';
import type { Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { type DryRunChange, dryRunResource } from '../../shared/resources/dry-runs/response.ts';
import { shownAttributes } from '../../shared/resources/variables/response.ts';
import type { ListStore } from '../../shared/store/store.ts';

type Store = Pick<ListStore, 'variables'>;

/** Attributes that follow from the change. */
const derived: readonly string[] = ['created-at', 'version-id'];

/** Hides a secret as a stored variable does. */
const withoutSecret = (draft: Draft): Variable =>
  'secret' in draft.content
    ? ({ ...draft, content: { encryptedValue: new Uint8Array() } } as Variable)
    : (draft as Variable);

/** Returns the attributes that would change. The values of a sensitive variable are null, before and after. */
const changesBetween = (
  before: Variable | undefined,
  after: Draft,
  changed?: readonly string[],
): Readonly<Record<string, DryRunChange>> => {
  const [old, young] = [before && shownAttributes(before), shownAttributes(withoutSecret(after))];
  return Object.fromEntries(
    Object.entries(young).flatMap(([name, value]) => {
      const former = old?.[name as keyof typeof old] ?? null;
      const isSame = isDeepStrictEqual(former, value ?? null) && !(changed?.includes(name) ?? false);
      return derived.includes(name) || isSame ? [] : [[name, { old: former, new: value ?? null }]];
    }),
  );
};

/** Requires that no other variable has the category and the key. @throws DomainError 422. */
const requireFree = async ({ variables }: Store, variable: Draft): Promise<void> => {
  const holder = await variables.findByKey(ownerId(variable), variable.category, variable.key);
  if (holder !== undefined && holder !== variable.id) throw keyTaken();
};

/**
 * Reports what the creation of a variable would do (EDIT-6). Nothing is encrypted. The key decides about the request, so the
 * result has no entity tag.
 * @param id id of the request.
 * @throws DomainError that the creation would be rejected with.
 */
export const previewCreation = async (
  store: Store,
  id: string,
  workspace: Workspace,
  draft: Draft,
  request: RequestContext,
): Promise<Document> => {
  await requireFree(store, draft);
  variableCreated(request, withoutSecret(draft)).plan(workspace);
  return { data: dryRunResource(id, { outcome: 'changed', changes: changesBetween(undefined, draft) }) };
};

/**
 * Reports what the update of a variable would change (EDIT-6). Nothing is encrypted. A secret counts as changed, because it is not
 * compared.
 * @param id id of the request.
 * @throws DomainError that the update would be rejected with.
 */
export const previewUpdate = async (store: Store, id: string, before: Variable, after: Draft): Promise<Document> => {
  await requireFree(store, after);
  const changed = changedAttributes(before, after);
  const changes = changesBetween(before, after, changed);
  const outcome = changed.length === 0 ? 'unchanged' : 'changed';
  return { data: dryRunResource(id, { outcome, changes, revised: asRevised(before) }) };
};
