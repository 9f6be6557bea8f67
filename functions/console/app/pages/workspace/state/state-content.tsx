import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { downloadState, type StateVersion } from '../../../../../../shared/client/state-versions.ts';
import { download } from '../../../api/send.ts';
import { stateContentQuery } from '../../../api/state-versions.ts';
import { Button } from '../../../components/button.tsx';
import { Dialog, DialogBody } from '../../../components/dialog.tsx';
import { Skeleton } from '../../../components/loaded.tsx';
import { ErrorNotice, Notice } from '../../../components/notice.tsx';
import { ProgressBar } from '../../../components/progress-bar.tsx';
import { offerFile } from '../../../lib/offer-file.ts';
import type { Progress } from '../../../lib/run-all.ts';
import type { StateResult } from './state-worker.ts';

/** The raw state of a version: its bytes, or the progress of the download in bytes. */
export interface StateContent {
  readonly data: ArrayBuffer | undefined;
  readonly error: unknown;
  readonly progress: Progress;
}

/** Downloads the raw state of a version, once it is given. The download ends with the component. */
export const useStateContent = (version: StateVersion | undefined): StateContent => {
  const [done, setDone] = useState(0);
  const isNeeded = version !== undefined;
  const { data, error } = useQuery({ ...stateContentQuery(version?.id ?? '', setDone), enabled: isNeeded });
  return { data, error, progress: { done, total: version?.attributes.size ?? 0 } };
};

/** Size from which the progress of a download is shown, in bytes. */
const LARGE = 1_000_000;

interface DownloadProgressProps {
  readonly progress: readonly Progress[];
  readonly onStop: () => void;
}

const sum = (progress: readonly Progress[], part: keyof Progress): number =>
  progress.reduce((total, each) => total + each[part], 0);

/** Shows the progress of the download of large states, and a way to stop it. */
const DownloadProgress = ({ progress, onStop }: DownloadProgressProps) => {
  const kilobytes = (part: keyof Progress) => Math.round(sum(progress, part) / 1_000);
  return sum(progress, 'total') < LARGE ? null : (
    <>
      <ProgressBar label="Downloading, in kB" done={kilobytes('done')} total={kilobytes('total')} />
      <div>
        <Button onClick={onStop}>Stop</Button>
      </div>
    </>
  );
};

interface ResultProps {
  readonly contents: readonly StateContent[];
  readonly result: StateResult | undefined;
  readonly onStop: () => void;
  readonly children: (result: StateResult) => ReactNode;
}

/** Shows what was found in states, or the progress and the errors until then. */
export const ReadResult = ({ contents, result, onStop, children }: ResultProps) => {
  const error = contents.map((content) => content.error).find((each) => each !== null) ?? null;
  return (
    <>
      {error !== null && <ErrorNotice error={error} />}
      {error === null && contents.some(({ data }) => data === undefined) && (
        <DownloadProgress progress={contents.map((content) => content.progress)} onStop={onStop} />
      )}
      {error === null && result === undefined && <Skeleton />}
      {result !== undefined && 'error' in result && (
        <Notice kind="warning" title="The state cannot be read" isLive>
          <p>{result.error}</p>
        </Notice>
      )}
      {result !== undefined && children(result)}
    </>
  );
};

/** Shows the progress while a large state is saved as a file. */
export const SavingDialog = ({ saving: { serial, progress }, onStop }: SavingDialogProps) =>
  progress.total < LARGE ? null : (
    <Dialog title={`Download state version ${serial}`} onClose={onStop}>
      <DialogBody>
        <DownloadProgress progress={[progress]} onStop={onStop} />
      </DialogBody>
    </Dialog>
  );

interface SavingDialogProps {
  readonly saving: Saving;
  readonly onStop: () => void;
}

interface Saving {
  readonly id: string;
  readonly serial: number;
  readonly progress: Progress;
}

/** Returns a function that saves the raw state of a version as a file, one at a time. The download ends with the component. */
export const useSaveState = () => {
  const [saving, setSaving] = useState<Saving>();
  const [error, setError] = useState<unknown>(null);
  const controller = useRef<AbortController>(undefined);
  const stop = () => controller.current?.abort();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the component is removed
  useEffect(() => stop, []);
  const save = async ({ id, attributes: { serial, size } }: StateVersion): Promise<void> => {
    if (controller.current !== undefined) return;
    controller.current = new AbortController();
    const { signal } = controller.current;
    const onProgress = (done: number) => setSaving({ id, serial, progress: { done, total: size ?? 0 } });
    onProgress(0);
    setError(null);
    try {
      offerFile(await download(downloadState(id), { signal, onProgress }), `${id}-${serial}.tfstate`);
    } catch (cause) {
      if (!signal.aborted) setError(cause);
    } finally {
      controller.current = undefined;
      setSaving(undefined);
    }
  };
  return { save, saving, error, stop };
};
