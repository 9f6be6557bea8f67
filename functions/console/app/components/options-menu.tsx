import { useState } from 'react';
import type { ApiRequest } from '../../../../shared/client/request.ts';
import { Button } from './button.tsx';
import { CurlDialog } from './curl.tsx';
import { Menu } from './menu.tsx';
import type { MenuEntry } from './menu-entries.ts';

interface OptionsMenuProps {
  /** Names for screen readers what the menu belongs to, such as "the page". */
  readonly of: string;
  /** The requests of the content. */
  readonly requests: readonly ApiRequest[];
  /** Entries above the one that shows the requests. */
  readonly entries?: readonly MenuEntry[];
  readonly isPending?: boolean;
}

/** Menu in the header of a page, a section or a list. It shows the requests of the content as curl commands. */
export const OptionsMenu = ({ of, requests, entries = [], isPending = false }: OptionsMenuProps) => {
  const [isCurlShown, setCurlShown] = useState(false);
  return (
    <>
      <Menu
        trigger={<Button look="quiet" icon="more" label={`Options of ${of}`} isPending={isPending} />}
        entries={[
          ...entries,
          ...(entries.length > 0 ? [{ kind: 'separator' } as const] : []),
          { kind: 'item', label: 'Show as curl', onSelect: () => setCurlShown(true) },
        ]}
      />
      {isCurlShown && <CurlDialog requests={requests} onClose={() => setCurlShown(false)} />}
    </>
  );
};
