import { messageOf } from '../../../functions/publish/message.ts';
import { hasNewChangeRecord } from '../../../shared/store/workspaces/stream-records.ts';
import type { followStream } from '../engine/table-stream.ts';

/** Reads the events of the changes of workspaces since the last call, as the publisher sends them. */
export const readEvents = async (stream: Awaited<ReturnType<typeof followStream>>) =>
  (await stream.sinceLast()).filter(hasNewChangeRecord).map((record) => {
    const message = messageOf(record);
    if (message.kind === 'poison') throw new Error(message.reason);
    return JSON.parse(message.entry.detail);
  });
