import {
  type BulkJob,
  type ItemError,
  type ItemPreview,
  type ItemResult,
  type ItemWarning,
  isWarned,
  itemRequestId,
  type SelectedWorkspace,
} from '../../shared/domain/bulk-jobs/bulk-job.ts';
import { DomainError, invalid } from '../../shared/domain/errors.ts';
import { isOlder } from '../../shared/domain/infra-versions/versions.ts';
import { categories } from '../../shared/domain/workspace/variable.ts';
import { createErrorDocument } from '../../shared/http/error-response.ts';
import {
  type ActionRequest,
  actionDefinitions,
  changesVariable,
} from '../../shared/resources/bulk-jobs/action-requests.ts';
import type { ApiRequest, ApiResponse, ServiceCaller } from '../../shared/runtime/api-requests.ts';

/** Sends a request of the HTTP API. */
export type SendRequest = (request: ApiRequest, caller: ServiceCaller) => Promise<ApiResponse>;

/** Thrown when the caller of a job has no access any more. It ends the job (JOB-7). */
export class CallerRevoked extends Error {
  override readonly name = 'CallerRevoked';
}

type Attempt = ServiceCaller['attempt'];

const callerOf = (job: BulkJob, part: string, attempt: Attempt): ServiceCaller => ({
  bulkJob: job.id,
  requestId: itemRequestId(job.id, part),
  attempt,
});

/** Sends a request, and turns the failure of the service into an error of the item. @throws CallerRevoked */
const sendFor = async (send: SendRequest, request: ApiRequest, caller: ServiceCaller): Promise<ApiResponse> => {
  const response = await responseOf(send, request, caller);
  if (response.status === 401) throw new CallerRevoked(response.document?.errors?.[0]?.detail);
  return response;
};

const responseOf = async (send: SendRequest, request: ApiRequest, caller: ServiceCaller): Promise<ApiResponse> => {
  try {
    return await send(request, caller);
  } catch (cause) {
    const failure =
      cause instanceof DomainError
        ? cause
        : new DomainError('unavailable', 'The service has failed. Retry the workspace later.', { cause });
    const document = createErrorDocument(failure);
    return { status: Number(document.errors[0].status), document: document as ApiResponse['document'] };
  }
};

const errorOf = ({ status, document }: ApiResponse): ItemError =>
  (document?.errors?.[0] as ItemError | undefined) ?? { status: String(status), title: 'unexpected response' };

interface Variable {
  readonly id: string;
  readonly attributes: { readonly key: string; readonly category: string; readonly sensitive: boolean };
}

/** Name of a category whatever vocabulary a deployment uses. */
const categoryOf = (category: unknown): unknown => (category === 'terraform' ? categories[0] : category);

/** Finds the variable that an action names; undefined if there is none. */
const findVariable = ({ document }: ApiResponse, { parameters }: BulkJob): Variable | undefined => {
  const { key, category = categories[0] } = parameters;
  const variables = (document?.data ?? []) as readonly Variable[];
  return variables.find(({ attributes: of }) => of.key === key && categoryOf(of.category) === categoryOf(category));
};

/** Error of an item whose variable is sensitive, so that its value does not become one that the job shows. */
const secretError = createErrorDocument(
  invalid(
    'value',
    'The variable is sensitive. A bulk job stores values in the clear, so set this one by a single request.',
  ),
).errors[0] as ItemError;

/** Longest value in a preview, as JSON in characters, and the longest of all changes of an item. */
const LONGEST_VALUE = 500;
const LONGEST_CHANGES = 8_000;

const shortened = (value: unknown): unknown => {
  const text = JSON.stringify(value) ?? 'null';
  return text.length <= LONGEST_VALUE ? value : `${text.slice(0, LONGEST_VALUE)}…`;
};

type Changes = NonNullable<ItemPreview['changes']>;

/** Cuts long values, so that a slice of previews fits into an item of the table. */
const shortenChanges = (changes: Changes): Changes => {
  let left = LONGEST_CHANGES;
  return Object.fromEntries(
    Object.entries(changes).map(([name, change]) => {
      const short = { old: shortened(change.old), new: shortened(change.new) };
      left -= JSON.stringify(short).length + name.length;
      return [name, left > 0 ? short : { old: '…', new: '…' }];
    }),
  );
};

interface DryRun {
  readonly data: {
    readonly attributes: { readonly outcome: string; readonly changes: Changes; readonly refusal: ItemError | null };
  };
}

interface StateDocument {
  readonly data?: { readonly attributes: { readonly 'terraform-version': string | null } };
}

const dryRunOf = (response: ApiResponse) => (response.document as unknown as DryRun).data.attributes;

const previewOf = (
  selected: SelectedWorkspace,
  response: ApiResponse,
  variable: string | undefined,
  warnings: readonly ItemWarning[],
): ItemPreview => {
  const { outcome, changes, refusal } = dryRunOf(response);
  const short = shortenChanges(changes);
  return {
    ...selected,
    outcome: outcome === 'refused' ? 'refused' : outcome === 'unchanged' ? 'unchanged' : 'changed',
    ...(Object.keys(short).length > 0 && { changes: short }),
    ...(refusal && { error: refusal }),
    ...(response.entityTag !== undefined && { tag: response.entityTag }),
    ...(variable !== undefined && { variable }),
    ...(warnings.length > 0 && { warnings }),
  };
};

const refusedBy = (selected: SelectedWorkspace, response: ApiResponse): ItemPreview => ({
  ...selected,
  outcome: 'refused',
  error: errorOf(response),
});

/** Returns the warning of a release that is older than the writer of the state, or else than the present release. */
const versionWarnings = (release: string, present: string, writer: string): readonly ItemWarning[] => {
  if (isOlder(release, writer)) return ['version-older-than-state'];
  return isOlder(release, present) ? ['version-older'] : [];
};

/** Previews what a job would do to a workspace: a dry run of the request, as the caller (JOB-4). Only a change has warnings. */
export const previewItem = async (
  send: SendRequest,
  job: BulkJob,
  { warnings = [], ...selected }: SelectedWorkspace,
): Promise<ItemPreview> => {
  const { action, parameters } = job;
  const id = encodeURIComponent(selected.id);
  const caller = callerOf(job, `${selected.id}:preview`, 'first');
  const get = (path: string) => sendFor(send, { method: 'GET', path: `/workspaces/${id}/${path}` }, caller);
  let variable: string | undefined;
  if (changesVariable(action)) {
    const found = await get('vars');
    if (found.status !== 200) return refusedBy(selected, found);
    const named = findVariable(found, job);
    variable = named?.id;
    if (action === 'delete-variable' && named === undefined) return { ...selected, outcome: 'unchanged' };
    if (action === 'set-variable' && named?.attributes.sensitive && 'value' in parameters) {
      return { ...selected, outcome: 'refused', error: secretError };
    }
  }
  const request = actionDefinitions[action].request(parameters, [id], variable);
  const response = await sendFor(send, { ...request, path: `${request.path}?dry-run=true` }, caller);
  if (response.status !== 200) return refusedBy(selected, response);
  const { outcome, changes } = dryRunOf(response);
  if (outcome === 'unchanged' || outcome === 'refused') return previewOf(selected, response, variable, []);
  const { old: present, new: release } = changes['infra-version-resolved'] ?? {};
  // Whoever may update a workspace may read its state.
  const state = typeof release === 'string' ? await get('current-state-version') : undefined;
  if (state && state.status >= 500) return refusedBy(selected, state);
  const writer = (state?.document as StateDocument | undefined)?.data?.attributes['terraform-version'] ?? '';
  const older = versionWarnings(String(release), String(present), writer);
  return previewOf(selected, response, variable, [...warnings, ...older]);
};

/** Returns whether a variable was created since the preview, which found none. */
const isTakenMeanwhile = ({ action }: BulkJob, { variable }: ItemPreview, { source }: ItemError): boolean =>
  action === 'set-variable' && variable === undefined && source?.pointer === '/data/attributes/key';

const resultOf = (job: BulkJob, preview: ItemPreview, response: ApiResponse): ItemResult => {
  if (response.status < 300) return { outcome: 'applied' };
  const error = errorOf(response);
  if (response.status === 412 || isTakenMeanwhile(job, preview, error)) return { outcome: 'conflict', error };
  return { outcome: response.status < 500 ? 'refused' : 'failed', error };
};

/** Returns the result of an item that needs no request; undefined for one that is to be changed. */
export const settledByPreview = ({ skipWarned }: BulkJob, preview: ItemPreview): ItemResult | undefined => {
  const { outcome, error } = preview;
  if (outcome === 'changed') return skipWarned && isWarned(preview) ? { outcome: 'skipped' } : undefined;
  return outcome === 'refused' ? { outcome, ...(error && { error }) } : { outcome };
};

/**
 * Sends a request that changes only what the preview showed. If an earlier attempt of it changed the entity tag, and its worker was
 * cut off before it recorded that, the response is that of a dry run which finds nothing to change.
 */
const sendOnce = async (
  send: SendRequest,
  request: ActionRequest,
  entityTag: string | undefined,
  caller: ServiceCaller,
): Promise<ApiResponse> => {
  const response = await sendFor(send, { ...request, ...(entityTag !== undefined && { entityTag }) }, caller);
  if (caller.attempt !== 'resumed' || response.status !== 412) return response;
  const preview = await sendFor(send, { ...request, path: `${request.path}?dry-run=true` }, caller);
  const isDone = preview.status === 200 && dryRunOf(preview).outcome === 'unchanged';
  return isDone ? preview : response;
};

/** Changes a workspace as its preview shows, or not at all (JOB-6). */
export const executeItem = async (
  send: SendRequest,
  job: BulkJob,
  preview: ItemPreview,
  attempt: Attempt,
): Promise<ItemResult> => {
  const { id, variable, tag } = preview;
  const request = actionDefinitions[job.action].request(job.parameters, [id], variable);
  return resultOf(job, preview, await sendOnce(send, request, tag, callerOf(job, id, attempt)));
};

/**
 * Changes the assignments of a variable set to several workspaces in one request. Each change gives the set another entity tag,
 * so the request is conditional on the tag that the one before left (JOB-6).
 * @returns the results, and the entity tag that the request left.
 */
export const executeJointly = async (
  send: SendRequest,
  job: BulkJob,
  previews: readonly ItemPreview[],
  attempt: Attempt,
): Promise<Pick<BulkJob, 'tag'> & { readonly results: readonly ItemResult[] }> => {
  const ids = previews.map(({ id }) => id);
  const request = actionDefinitions[job.action].request(job.parameters, ids);
  const tag = job.tag ?? previews[0]?.tag;
  const response = await sendOnce(send, request, tag, callerOf(job, `slice-${job.executed}`, attempt));
  // A rejection has the entity tag that somebody else has left.
  const left = response.status < 300 ? response.entityTag : tag;
  return {
    results: previews.map((preview) => resultOf(job, preview, response)),
    ...(left !== undefined && { tag: left }),
  };
};
