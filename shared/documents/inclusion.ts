import { atLeast, belongsTo, effectiveRights } from '../access/rights.ts';
import type { Caller, Organization, Project } from '../domain/directory/records.ts';
import type { Workspace } from '../domain/workspace/workspace-record.ts';
import type { Relationship, Resource } from '../jsonapi/document.ts';
import type { WorkspaceInclude } from '../routes/route.ts';
import type { Dependencies } from '../runtime/dependencies.ts';
import type { Found, RecordOf, RecordReference } from '../store/directory/directory-reader.ts';
import type { ResponseSizeBudget } from './response-size-budget.ts';

/** A workspace, the caller who requested it, and the records that decide what the caller sees of it. */
export interface Seen {
  readonly workspace: Workspace;
  readonly organization: Organization;
  /** The parts of the project that workspaces inherit, and its grants. */
  readonly project: Pick<
    Project,
    'id' | 'access' | 'bindings' | 'defaultExecutionMode' | 'defaultAgentPool' | 'defaultDeletionProtection'
  >;
  readonly caller: Caller;
}

export type Presenting = Pick<Dependencies, 'store' | 'features'>;

/** The names that a request includes, and its URL. */
export interface IncludeRequest {
  readonly include: ReadonlySet<WorkspaceInclude>;
  readonly url: string;
}

/** Dependencies of inclusions; one object for each response. */
export interface Including extends Presenting {
  readonly budget: ResponseSizeBudget;
  /** Origin of the service: scheme and host. */
  readonly origin: string;
}

/** Resources that one inclusion adds to the response for one workspace. */
export interface Included {
  readonly resources: readonly Resource[];
  /** Relationships that are complete only where they are included. */
  readonly relationships?: Readonly<Record<string, Relationship>>;
}

/** References to the records that an inclusion needs, by a name of its own; undefined for none. */
type References = Readonly<Record<string, RecordReference | undefined>>;

/** The records of these references, by the same names; undefined for a record that does not exist. */
type Records<R extends References> = { readonly [N in keyof R]: RecordOf<NonNullable<R[N]>> | undefined };

/** One name of the `include` parameter (HTTP-27), applied to one workspace. */
export type Inclusion = (seen: Seen) => {
  /** Records that must be read first, in addition to those that every workspace document needs. */
  readonly needed: readonly RecordReference[];
  readonly build: (found: Found, including: Including) => Included | Promise<Included>;
};

/**
 * Defines an inclusion.
 * @param needs returns references to the records that the caller may see. All inclusions of a request read theirs
 * together. Absent: it needs none.
 * @param build builds the resources from the records. It receives exactly the records that `needs` names.
 * @example
 * inclusion({
 *   needs: ({ workspace: { sshKey } }) => ({ key: sshKey === null ? undefined : { kind: 'sshKey', id: sshKey } }),
 *   build: ({ key }) => fromRecord(key, sshKeyResource),
 * });
 */
export const inclusion =
  <R extends References = Readonly<Record<never, never>>>({
    needs,
    build,
  }: {
    readonly needs?: (seen: Seen) => R;
    readonly build: (records: Records<R>, seen: Seen, including: Including) => Included | Promise<Included>;
  }): Inclusion =>
  (seen) => {
    const references = Object.entries(needs?.(seen) ?? {}).flatMap(([name, reference]) =>
      reference === undefined ? [] : [[name, reference] as const],
    );
    return {
      needed: references.map(([, reference]) => reference),
      build: (found, including) => {
        const records = Object.fromEntries(references.map(([name, { kind, id }]) => [name, found(kind, id)]));
        return build(records as Records<R>, seen, including);
      },
    };
  };

/** Checks whether the caller belongs to the organization; a run sees workspaces only (HTTP-30). */
export const isMember = ({ caller, organization }: Seen): boolean => belongsTo(caller, organization);

/** Builds the resource of a record, or none if the record does not exist. */
export const fromRecord = <R>(record: R | undefined, resource: (record: R) => Resource): Included => ({
  resources: record === undefined ? [] : [resource(record)],
});

/** Builds included resources and the relationship to them, which has data only if they are included. */
export const related = (name: string, link: string, resources: readonly Resource[]): Included => ({
  resources,
  relationships: { [name]: { data: resources.map(({ type, id }) => ({ type, id })), links: { related: link } } },
});

/** Checks whether the caller may read the runs of a workspace. */
export const mayReadRuns = ({ caller, organization, project, workspace }: Seen): boolean =>
  atLeast(effectiveRights(caller, organization, project, workspace), 'runs', 'read');
