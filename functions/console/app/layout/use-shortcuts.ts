import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { letterShortcuts, timeFormat } from '../lib/preferences.ts';

/** The shortcuts, as the help lists them. */
export const shortcuts = [
  { keys: 'Ctrl K', meaning: 'Find anything, or act on a workspace' },
  { keys: '/', meaning: 'Search on this page' },
  { keys: '?', meaning: 'List the shortcuts' },
  { keys: 'g then w', meaning: 'Go to the workspaces' },
  { keys: 'g then l', meaning: 'Go to the locks' },
  { keys: 't', meaning: 'Switch between exact and relative times' },
  { keys: '→', meaning: 'Move from the name of a workspace to its tags; Enter filters by one' },
  { keys: 'Shift Space', meaning: 'Extend the selection to a row' },
  { keys: 'Esc', meaning: 'Close a dialog or a menu' },
] as const;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));

/** Time for the second key of a sequence, in milliseconds. */
const SEQUENCE_MILLIS = 1_500;

interface Commands {
  readonly organization: string | undefined;
  readonly openPalette: () => void;
  readonly openHelp: () => void;
  /** Keeps a character that was typed while the palette is loading. Returns false if the palette is not loading. */
  readonly typeEarly: (character: string) => boolean;
}

/** Listens to the shortcuts of all pages. While a dialog is open, only the dialog gets the keys. */
export const useShortcuts = (commands: Commands): void => {
  const navigate = useNavigate();
  const latest = useRef(commands);
  latest.current = commands;
  useEffect(() => {
    let prefixAt = 0;
    const go = (key: string): boolean => {
      const { organization } = latest.current;
      if (organization === undefined) return false;
      if (key === 'w') navigate({ to: '/$organization/workspaces', params: { organization } });
      else if (key === 'l') navigate({ to: '/$organization/locks', params: { organization } });
      else return false;
      return true;
    };
    const press = (key: string): boolean => {
      const { openPalette, openHelp } = latest.current;
      if (Date.now() - prefixAt < SEQUENCE_MILLIS) {
        prefixAt = 0;
        return go(key);
      }
      if (key === 'g') prefixAt = Date.now();
      else if (key === '?') openHelp();
      else if (key === 't') timeFormat.set(timeFormat.get() === 'exact' ? 'relative' : 'exact');
      else if (key === '/') {
        const field = document.querySelector<HTMLInputElement>('input[type="search"]');
        if (field === null) openPalette();
        else field.focus();
      } else return false;
      return true;
    };
    const listen = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || document.querySelector('[role="dialog"]') !== null) return;
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        latest.current.openPalette();
        return;
      }
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (isPlain && event.key.length === 1 && latest.current.typeEarly(event.key)) {
        event.preventDefault();
        return;
      }
      if (!isPlain || isTyping(event.target) || letterShortcuts.get() === 'off') return;
      if (press(event.key)) event.preventDefault();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [navigate]);
};
