import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { apiRequest } from '../../../../shared/client/request.ts';
import { connection } from '../api/connection.ts';
import { send } from '../api/send.ts';
import { Notice } from '../components/notice.tsx';
import { useStore } from '../lib/store.ts';

const INTERVAL_MILLIS = 3_000;

/** Says that the service does not respond, tries again until it does, and then refreshes the page. */
export const ConnectionNotice = () => {
  const isConnected = useStore(connection);
  const queryClient = useQueryClient();
  useEffect(() => {
    if (isConnected) return;
    const timer = setInterval(
      () => send(apiRequest('get', '/api/v2/ping', {})).catch(() => undefined),
      INTERVAL_MILLIS,
    );
    return () => {
      clearInterval(timer);
      // Any request may have found that the service is back, and other queries have failed for good before.
      if (connection.get()) queryClient.invalidateQueries();
    };
  }, [isConnected, queryClient]);
  if (isConnected) return null;
  return (
    <Notice kind="warning" isLive title="The service does not respond">
      <p>The page reconnects by itself. Until then, nothing can be loaded or saved. What you enter is kept.</p>
    </Notice>
  );
};
