/** Worker that reads states, so that large ones do not block the page. */
import {
  compareStates,
  type ListedResource,
  listResources,
  type ResourceChange,
} from '../../../../../../shared/client/compare-states.ts';

/** States as bytes in UTF-8: one to list its resources, or an older and a newer one to compare. */
export type StateJob = readonly [state: ArrayBuffer] | readonly [old: ArrayBuffer, state: ArrayBuffer];

export type StateResult =
  | { readonly resources: readonly ListedResource[] }
  | { readonly changes: readonly ResourceChange[] }
  | { readonly error: string };

const decoder = new TextDecoder();

const execute = (job: StateJob): StateResult => {
  try {
    const [first, second] = job.map((bytes) => decoder.decode(bytes));
    return second === undefined
      ? { resources: listResources(first ?? '') }
      : { changes: compareStates(first ?? '', second) };
  } catch (error) {
    return { error: error instanceof RangeError ? error.message : 'This is not valid JSON. It may be encrypted.' };
  }
};

self.addEventListener('message', ({ data }: MessageEvent<StateJob>) => self.postMessage(execute(data)));
