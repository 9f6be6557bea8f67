import { isId } from '../../domain/ids.ts';
import { categories } from '../../domain/workspace/variable.ts';
import { type Item, keys } from '../dynamodb/keys.ts';
import { listedKey } from '../items/variable-items.ts';
import { type Check, type Checks, isCount, isText, organizationOf, textOf } from './facts.ts';

/** Opens the checks of variables, of workspaces and of variable sets, and of their id pointers. */
export const checkVariables = ({ at, must }: Check): Checks<'variable' | 'variable-id'> => {
  /** Returns the workspace or the variable set of a variable or of its pointer, and what it is. */
  const ownerOf = ({ workspace, variableSet }: Item) =>
    variableSet === undefined
      ? { kind: 'workspace', attribute: 'workspace', owner: at(keys.workspace(textOf(workspace))) }
      : { kind: 'variable set', attribute: 'variableSet', owner: at(keys.variableSet(textOf(variableSet))) };

  return {
    variable: (item) => {
      const { id, category, key, value, sealed, ref, fp, description, hcl, createdAt, version, l, lk } = item;
      const isNamed = isId('variable', textOf(id)) && isText(key) && categories.some((known) => known === category);
      must(isNamed, 'its id, category or key is not valid for a variable');
      const isOpen = typeof value === 'string' && sealed === undefined;
      const isEncrypted = sealed instanceof Uint8Array && value === undefined;
      must(isOpen || isEncrypted, 'it must have either a value or an encrypted value');
      must(ref === undefined || (isText(ref) && value === ''), 'it has a value reference and a value');
      must(fp === undefined || (isText(fp) && ref === undefined), 'its fingerprint is invalid');
      const isDescribed = description === null || typeof description === 'string';
      must(typeof hcl === 'boolean' && isDescribed, 'its hcl flag or its description is missing');
      must(isCount(createdAt) && isText(version), 'its creation time or its version is missing');

      const { kind, attribute, owner } = ownerOf(item);
      if (owner === undefined) return must(false, `its ${kind} does not exist`);
      if (owner['gone'] !== undefined) {
        return must(owner['d'] !== undefined, `its ${kind} is deleted, but not queued for cleanup`);
      }
      const pointer = at(keys.pointer(textOf(id)));
      const isLedTo = [attribute, 'category', 'key'].every((name) => pointer?.[name] === item[name]);
      must(isLedTo, 'its id pointer does not exist or leads elsewhere');
      const listed = listedKey(organizationOf(owner), { id: textOf(id), key: textOf(key) });
      // Earlier releases did not list keys, and `index-variables` may not have run yet.
      const isListed = (l === undefined && lk === undefined) || (l === listed.l && lk === listed.lk);
      must(isListed, 'its list index keys do not match its organization, key and id');
    },
    // The id pointer of a deleted variable remains as a tombstone until it expires.
    'variable-id': (item) => {
      const { id, organization, workspace, project, variableSet, category, key, gone, request, ttl } = item;
      const isOwned = variableSet === undefined ? isText(workspace) && isText(project) : isText(variableSet);
      const isPlaced = isText(organization) && isOwned;
      must(isPlaced, 'it has no organization, workspace or project, and no variable set');
      const isAlive = gone === undefined && ttl === undefined && isText(category) && isText(key);
      const isTombstone = isCount(gone) && isCount(ttl) && isText(request) && category === undefined;
      must(!isPlaced || isAlive || isTombstone, 'it is neither a pointer to a variable nor a tombstone');
      if (gone !== undefined) return;

      const variable = at(keys.variable(textOf(variableSet ?? workspace), textOf(category), textOf(key)));
      must(variable?.['id'] === id, 'it does not lead to a variable with its id');
      const { kind, owner } = ownerOf(item);
      const isOwn = owner === undefined || organizationOf(owner) === organization;
      must(isOwn, `its organization is not that of its ${kind}`);
    },
  };
};
