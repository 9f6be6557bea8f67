import { useEffect } from 'react';
import { createStore, useStore } from '../lib/store.ts';
import './toast.css';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { toVisible } from './visible-text.tsx';

interface ToastMessage {
  readonly id: number;
  readonly text: string;
  readonly kind: 'success' | 'danger';
  /** The page that opens now shows the message, too. */
  readonly isOfNextPage: boolean;
}

const messages = createStore<readonly ToastMessage[]>([]);
let lastId = 0;

const add = (message: Omit<ToastMessage, 'id'>): void => {
  lastId += 1;
  messages.set([...messages.get().slice(-3), { id: lastId, ...message }]);
};

/** Shows a short message in a corner until the page is left, and announces it to screen readers. */
export const toast = (text: string, kind: ToastMessage['kind'] = 'success'): void =>
  add({ text, kind, isOfNextPage: false });

/** Shows a short message on the page that the caller opens. */
export const toastOnNextPage = (text: string, kind: ToastMessage['kind'] = 'success'): void =>
  add({ text, kind, isOfNextPage: true });

/** Removes the messages of the page that has been left. */
export const leavePage = (): void =>
  messages.set(
    messages
      .get()
      .filter(({ isOfNextPage }) => isOfNextPage)
      .map((message) => ({ ...message, isOfNextPage: false })),
  );

const dismiss = (id: number): void => messages.set(messages.get().filter((message) => message.id !== id));

const VISIBLE_MILLIS = 7_000;

const Toast = ({ id, text, kind }: ToastMessage) => {
  useEffect(() => {
    if (kind === 'danger') return;
    const timer = setTimeout(() => dismiss(id), VISIBLE_MILLIS);
    return () => clearTimeout(timer);
  }, [id, kind]);
  return (
    <li className={`toast toast-${kind}`}>
      <Icon name={kind === 'success' ? 'check' : 'warning'} />
      <span className="toast-text">{toVisible(text)}</span>
      <Button look="quiet" icon="close" label="Dismiss" onClick={() => dismiss(id)} />
    </li>
  );
};

/** Place of the messages. The live region exists before its first message, so that screen readers announce it. */
export const Toasts = () => (
  <ol className="toasts" aria-live="polite" aria-label="Messages">
    {useStore(messages).map((message) => (
      <Toast key={message.id} {...message} />
    ))}
  </ol>
);
