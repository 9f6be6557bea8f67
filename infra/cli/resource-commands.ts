import type { ApiRequest } from '../../shared/client/request.ts';
import type { FiltersOf, InputOf, PathOf } from '../../shared/client/types.ts';
import type { RouteId } from '../../shared/routes/index.ts';
import { type Api, pageQuery, readPages } from './api.ts';
import { type Command, command } from './command.ts';
import { explainNotFound, Failure, usageError } from './failure.ts';
import { forEachItem } from './for-each-item.ts';
import type { Invocation } from './invocation.ts';
import { flatten, type Row, type View } from './output/view.ts';
import {
  argument,
  choice,
  filter,
  flag,
  type Parameter,
  type Parameters,
  remainingArguments,
  requireText,
  type ValuesOf,
} from './parameters.ts';
import { isSet } from './settings.ts';

interface Resource {
  readonly id: string;
  readonly attributes: object;
  readonly relationships?: object;
}

/** A document with included resources, from which the names of related things follow. */
export interface Including<I> {
  readonly included?: readonly I[];
}

interface ListDocument<R, I> extends Including<I> {
  readonly data: readonly R[];
  readonly meta?: { readonly pagination?: { readonly 'next-page'?: number | null } };
}

interface ItemDocument<R, I> extends Including<I> {
  readonly data: R;
}

// A type, because an interface has no implicit index signature, which queries of lists require.
type PageQuery = { readonly 'page[number]': number; readonly 'page[size]': number };

/**
 * Query parameters of a list: the page and its filters, so that a new filter is a type error. `N` names those that have no
 * flag, and `S` the order.
 */
export type ListQuery<P extends PathOf<'get'>, N extends FiltersOf<P> = never, S extends 'sort' = never> = PageQuery &
  Pick<Query<P>, (Exclude<FiltersOf<P>, N> | S) & keyof Query<P>>;

type Query<P extends PathOf<'get'>> = NonNullable<InputOf<'get', P>['query']>;

/** Filters and order of a list as flags give them. An absent one is undefined. */
type Filters<Q> = { readonly [N in Exclude<keyof Q, keyof PageQuery>]: Q[N] | undefined };

/** A resource that an argument names, with its present revision. */
interface Found<R> {
  readonly id: string;
  readonly name: string;
  readonly resource: R;
  readonly row: Row;
  /** Entity tag of the revision (EDIT-1). */
  readonly etag: string | undefined;
}

interface KindDefinition<R extends Resource, I, Q extends PageQuery> {
  /** Word of its commands, such as `ssh-key`. */
  readonly noun: string;
  /** Words for one and for several in sentences, such as `an SSH key` and `SSH keys`. */
  readonly labels: readonly [one: string, several: string];
  /** The first column is the name that commands accept. */
  readonly view: View;
  /** Fields that a terminal shows of one resource, after the columns. */
  readonly details?: readonly string[];
  /** Default: `flatten`. */
  readonly toRow?: (resource: R, document: Including<I>) => Row;
  /** Returns whether an argument is an id. */
  readonly isId: (argument: string) => boolean;
  /** Returns whether an argument that is no id names the resource. Default: it is equal to the name. */
  readonly isNamed?: (resource: R, argument: string) => boolean;
  /** Describes the request of one page. */
  readonly list: (scope: string, query: Q) => ApiRequest<ListDocument<R, I>>;
  /** Describes the request of one by its id. Absent: it is found in the list, without an entity tag. */
  readonly show?: (id: string) => ApiRequest<ItemDocument<R, I>>;
  readonly routes: { readonly list: RouteId; readonly show?: RouteId };
  /** Returns the parameter of the list. Default: the name of the organization. */
  readonly scope?: (invocation: Invocation) => Promise<string>;
  /** Form of an argument. Default: `Name or id`. */
  readonly accepts?: 'Name' | 'Id';
}

/** A kind of resource that commands list, show, create, edit and delete. */
export interface Kind<R extends Resource, I, Q extends PageQuery> extends KindDefinition<R, I, Q> {
  readonly toRow: (resource: R, document: Including<I>) => Row;
  readonly scope: (invocation: Invocation) => Promise<string>;
  /** Word for one without the article. */
  readonly one: string;
  /**
   * Returns the id of the resource that an argument names. An id is not looked up.
   * @param organization default: the one of the command.
   */
  readonly findId: (invocation: Invocation, argument: string, organization?: string) => Promise<string>;
  /**
   * Finds the resource that an argument names, by its name or its id.
   * @param read sends the request for the resource. Default: `api.lookUp`.
   */
  readonly find: (invocation: Invocation, argument: string, read?: Api['send']) => Promise<Found<R>>;
  /** Returns the names of all, by their ids. */
  readonly names: (invocation: Invocation) => Promise<ReadonlyMap<string, string>>;
  /** Routes that `find` requests. */
  readonly findRoutes: readonly RouteId[];
  readonly argument: Parameter<string>;
  readonly arguments: Parameter<readonly string[]>;
}

/** Creates the test of whether a text is an id. A name of the same form is not found by it. @param prefix such as `prj`. */
export const idsWith =
  (prefix: string) =>
  (text: string): boolean =>
    text.startsWith(`${prefix}-`) && /^[1-9A-HJ-NP-Za-km-z]{16}$/.test(text.slice(prefix.length + 1));

/** Returns identifiers of the resources that arguments name. */
export const identify = async (
  names: readonly string[],
  findId: (name: string) => Promise<string>,
): Promise<{ id: string }[]> => {
  const identifiers: { id: string }[] = [];
  for (const name of names) identifiers.push({ id: await findId(name) });
  return identifiers;
};

/** Defines a kind of resource. */
export const defineKind = <R extends Resource, I, Q extends PageQuery>(
  definition: KindDefinition<R, I, Q>,
): Kind<R, I, Q> => {
  const { labels, view, toRow = flatten, isId, list, show, routes, accepts = 'Name or id' } = definition;
  const one = labels[0].replace(/^an? /, '');
  const nameOf = (row: Row): string => String(row[view.columns[0] ?? '']);
  const isNamed = definition.isNamed ?? ((resource: R, name: string) => nameOf(toRow(resource, {})) === name);

  const missing = (name: string): string => `There is no ${one} "${name}", or you may not see it.`;

  const toFound = (resource: R, document: Including<I>, etag?: string): Found<R> => {
    const row = toRow(resource, document);
    return { id: resource.id, name: nameOf(row), resource, row, etag };
  };
  const scope = definition.scope ?? (({ organization }: Invocation) => organization());
  async function* search(invocation: Invocation, q: string, read = invocation.api.lookUp) {
    const organization = await scope(invocation);
    yield* readPages(read, (number) => list(organization, { q, ...pageQuery(number) } as unknown as Q));
  }

  const findInList = async (invocation: Invocation, name: string, read?: Api['send']): Promise<Found<R>> => {
    for await (const document of search(invocation, name, read)) {
      const resource = document.data.find((candidate) => candidate.id === name || isNamed(candidate, name));
      if (resource !== undefined) return toFound(resource, document);
    }
    throw new Failure('notFound', missing(name));
  };

  const summary = `${accepts} of the ${one}.`;
  const complete = async (invocation: Invocation, typed: string) => {
    for await (const document of search(invocation, typed)) {
      return document.data.map((resource) => nameOf(toRow(resource, document)));
    }
    return [];
  };
  const findId: Kind<R, I, Q>['findId'] = async (invocation, name, organization) => {
    if (isId(name)) return name;
    const scoped =
      organization === undefined ? invocation : { ...invocation, organization: () => Promise.resolve(organization) };
    return (await findInList(scoped, name)).id;
  };
  return {
    ...definition,
    toRow,
    scope,
    one,
    findId,
    find: async (invocation, name, read = invocation.api.lookUp) => {
      if (show === undefined) return findInList(invocation, name, read);
      const { document, etag } = await explainNotFound(read(show(await findId(invocation, name))), missing(name));
      return toFound(document.data, document, etag);
    },
    names: async (invocation) => {
      const names = new Map<string, string>();
      for await (const { data } of search(invocation, '')) {
        for (const resource of data) names.set(resource.id, nameOf(toRow(resource, {})));
      }
      return names;
    },
    findRoutes: Object.values(routes),
    argument: { ...argument(summary, { complete }), parse: requireText },
    arguments: { ...remainingArguments(summary, { complete }), parse: (name) => [requireText(name)] },
  };
};

/** The flag of lists that the service searches. */
export const searchFlag = { search: filter('Only names that contain this text.', 'TEXT') };

/** Returns the query parameter of the search flag. */
export const toSearch = ({ search }: ValuesOf<typeof searchFlag>) => ({ q: search });

interface ListOptions<F extends Parameters, Q> {
  readonly flags: F;
  /** Returns the query parameters for the flags. An absent filter is undefined. */
  readonly toQuery: (flags: ValuesOf<F>) => Filters<Q>;
  readonly examples?: readonly string[];
}

/** Defines the command that lists resources of a kind. */
export const listCommand = <R extends Resource, I, Q extends PageQuery, F extends Parameters>(
  kind: Kind<R, I, Q>,
  { flags, toQuery, examples = [] }: ListOptions<F, Q>,
): Command => {
  const { noun, labels, view, toRow, list, routes, scope } = kind;
  return command({
    name: `${noun} list`,
    summary: `List ${labels[1]}`,
    flags,
    routes: [routes.list],
    result: { kind: 'list', view },
    examples: [`${noun} list`, `${noun} list --json=${view.columns.slice(0, 2).join(',')}`, ...examples],
    async *run(invocation, _, values) {
      const organization = await scope(invocation);
      const query = toQuery(values);
      for await (const document of invocation.api.pages((number) =>
        list(organization, { ...query, ...pageQuery(number) } as unknown as Q),
      )) {
        for (const resource of document.data) yield toRow(resource, document);
      }
    },
  });
};

/** Defines the command that shows one resource of a kind. */
export const showCommand = <R extends Resource, I, Q extends PageQuery>(
  { noun, labels, view, details = [], find, findRoutes, argument }: Kind<R, I, Q>,
  example: string,
): Command =>
  command({
    name: `${noun} show`,
    summary: `Show ${labels[0]}`,
    description: 'All attributes are in the result of --json.',
    arguments: { name: argument },
    routes: findRoutes,
    result: { kind: 'item', view: { ...view, columns: [...view.columns, ...details] } },
    examples: [`${noun} show ${example}`, `${noun} show ${example} --json`],
    run: async (invocation, { name }) => (await find(invocation, name, invocation.api.send)).row,
  });

interface ChangeOptions<F extends Parameters> {
  readonly description?: string;
  readonly flags: F;
  readonly route: RouteId;
  /** Routes that `toRequest` requests, besides those that find the resource. */
  readonly lookups?: readonly RouteId[];
  /** Arguments and flags of examples. */
  readonly examples: readonly string[];
}

interface CreateOptions<R, I, F extends Parameters> extends ChangeOptions<F> {
  readonly toRequest: (
    values: ValuesOf<F>,
    creation: { readonly invocation: Invocation; readonly organization: string; readonly name: string },
  ) => ApiRequest<ItemDocument<R, I>> | Promise<ApiRequest<ItemDocument<R, I>>>;
}

/** Defines the command that creates a resource of a kind. */
export const createCommand = <R extends Resource, I, Q extends PageQuery, F extends Parameters>(
  { noun, labels, one, view, toRow, scope }: Kind<R, I, Q>,
  { description = '', flags, route, lookups = [], examples, toRequest }: CreateOptions<R, I, F>,
): Command =>
  command({
    name: `${noun} create`,
    summary: `Create ${labels[0]}`,
    description,
    arguments: { name: { ...argument(`Name of the new ${one}.`), parse: requireText } },
    flags,
    routes: [...lookups, route],
    result: { kind: 'change', view, sentence: (row) => `Created the ${one} ${row[view.columns[0] ?? '']}.` },
    examples: examples.map((example) => `${noun} create ${example}`),
    run: async (invocation, { name }, values) => {
      const organization = await scope(invocation);
      const request = await toRequest(values, { invocation, organization, name });
      const { document } = await invocation.api.send(request);
      return toRow(document.data, document);
    },
  });

/** Empty values of settings, which `--unset` sends. */
type EmptyValues = Readonly<Record<string, null | readonly never[]>>;

interface EditOptions<R, I, F extends Parameters, E extends EmptyValues> extends ChangeOptions<F> {
  /** The settings that can be unset, with their empty values. */
  readonly emptyValues?: E;
  readonly toRequest: (
    values: ValuesOf<F>,
    revision: {
      readonly invocation: Invocation;
      readonly id: string;
      readonly ifMatch: string | undefined;
      /** The empty values of the settings whose values the user removes. */
      readonly unset: { -readonly [N in keyof E]?: E[N] };
    },
  ) => ApiRequest<ItemDocument<R, I>> | Promise<ApiRequest<ItemDocument<R, I>>>;
}

/** The flag that removes the values of settings. */
export const unsetFlag = (emptyValues: EmptyValues): { readonly unset: Parameter<readonly string[]> } => {
  const { parse, ...others } = choice(
    'Remove the value: the setting is inherited then, or empty.',
    Object.keys(emptyValues) as string[],
    'SETTING',
  );
  return {
    unset: {
      ...others,
      summary: `${others.summary} Can be repeated.`,
      parse: (name) => [parse(name) ?? name],
      fallback: [],
      isRepeated: true,
    },
  };
};

/** Defines the command that changes settings of a resource of a kind, if it still has the revision that was read. */
export const editCommand = <
  R extends Resource,
  I,
  Q extends PageQuery,
  F extends Parameters,
  E extends EmptyValues = EmptyValues,
>(
  { noun, labels, one, view, toRow, find, findRoutes, argument }: Kind<R, I, Q>,
  { description = '', flags, emptyValues, route, lookups = [], examples, toRequest }: EditOptions<R, I, F, E>,
): Command =>
  command({
    name: `${noun} edit`,
    summary: `Change ${labels[0]}`,
    description: `Only the settings that you name change. ${description}`.trim(),
    arguments: { name: argument },
    flags: { ...flags, ...(emptyValues !== undefined && unsetFlag(emptyValues)) },
    routes: [...new Set([...findRoutes, ...lookups, route])],
    result: { kind: 'change', view, sentence: (row) => `Changed the ${one} ${row[view.columns[0] ?? '']}.` },
    examples: examples.map((example) => `${noun} edit ${example}`),
    errors: { conflict: 'Somebody else has changed it at the same time. Nothing was changed.' },
    run: async (invocation, { name }, { unset = [], ...others }) => {
      const values = others as ValuesOf<F>;
      const names = unset as readonly string[];
      if (names.length === 0 && !Object.values(values).some(isSet)) {
        throw usageError('Name what to change.', `The flags are --${Object.keys(flags).join(', --')}.`);
      }
      const both = names.find((setting) => isSet(values[setting]));
      if (both !== undefined) throw usageError(`--${both} and --unset ${both} exclude each other.`);
      const { id, etag } = await find(invocation, name);
      const removed = Object.fromEntries(names.map((setting) => [setting, emptyValues?.[setting]])) as Partial<E>;
      const { document } = await invocation.api.send(
        await toRequest(values, { invocation, id, ifMatch: etag, unset: removed }),
      );
      return toRow(document.data, document);
    },
  });

interface DeleteOptions {
  readonly verb?: 'delete' | 'remove';
  readonly description?: string;
  readonly route: RouteId;
  readonly example: string;
  /** Meaning of exit code 5. */
  readonly conflict?: string;
  readonly toRequest: (id: string, ifMatch: string | undefined) => ApiRequest;
}

/** Defines the command that deletes resources of a kind. Each has to be confirmed by its name. */
export const deleteCommand = <R extends Resource, I, Q extends PageQuery>(
  { noun, labels, one, view, find, findRoutes, arguments: names }: Kind<R, I, Q>,
  { verb = 'delete', description = '', route, example, conflict, toRequest }: DeleteOptions,
): Command => {
  const stem = `${verb.charAt(0).toUpperCase()}${verb.slice(1)}`;
  return command({
    name: `${noun} ${verb}`,
    summary: `${stem} ${labels[1]}`,
    description,
    arguments: { name: names },
    flags: { yes: flag('Do not ask for confirmation.') },
    routes: [...findRoutes, route],
    result: { kind: 'changes', view, sentence: (row) => `${stem}d the ${one} ${row[view.columns[0] ?? '']}.` },
    examples: [`${noun} ${verb} ${example}`, `${noun} ${verb} ${example} --yes`],
    ...(conflict !== undefined && { errors: { conflict } }),
    async *run(invocation, { name: arguments_ }, { yes }) {
      return yield* forEachItem(invocation, arguments_, async (argument) => {
        const { id, name, row, etag } = await find(invocation, argument);
        await invocation.confirm({ sentence: `${stem}s the ${one} ${name}. ${description}`.trim(), name, yes });
        await invocation.api.send(toRequest(id, etag));
        return row;
      });
    },
  });
};
