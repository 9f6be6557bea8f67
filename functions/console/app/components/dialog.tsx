import * as Primitive from '@radix-ui/react-dialog';
import { type MouseEvent, type ReactNode, useState } from 'react';
import { rememberOpener } from '../lib/focus.ts';
import './dialog.css';
import { Button } from './button.tsx';
import { toVisible } from './visible-text.tsx';

interface DialogProps {
  readonly title: ReactNode;
  readonly description?: ReactNode;
  readonly onClose: () => void;
  readonly size?: 'small' | 'medium';
  /** Whether a click next to the dialog closes it, where it has nothing to lose. */
  readonly closesOnClickOutside?: boolean;
  /** Whether the dialog covers everything behind it. */
  readonly hidesPage?: boolean;
  readonly children: ReactNode;
}

/** Focuses the first field of the form of a dialog, if it has one, in place of the button that closes the dialog. */
const focusField = (event: Event) => {
  const dialog = event.currentTarget;
  const field = dialog instanceof HTMLElement && dialog.querySelector<HTMLElement>('form :is(input, select, textarea)');
  if (!field) return;
  event.preventDefault();
  field.focus();
};

/** Keeps the focus where it is after a click next to the dialog. */
const keepFocus = (event: MouseEvent) => event.preventDefault();

/**
 * Shows a modal dialog while it is rendered. It keeps the focus, closes with Escape, and returns the focus to the control
 * that opened it. A click next to it does not close it: entries, or a token that is shown only once, would be lost.
 */
export const Dialog = ({
  title,
  description,
  onClose,
  size = 'small',
  closesOnClickOutside = false,
  hidesPage = false,
  children,
}: DialogProps) => {
  const [setOpener] = useState(rememberOpener);
  return (
    <Primitive.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Primitive.Portal>
        {/* The overlay of the library locks scrolling with a style element, which the Content-Security-Policy forbids. */}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: a click on it does nothing */}
        <div className={`dialog-backdrop${hidesPage ? ' is-opaque' : ''}`} onMouseDown={keepFocus} />
        <Primitive.Content
          ref={setOpener}
          className={`dialog dialog-${size}`}
          onOpenAutoFocus={focusField}
          onInteractOutside={(event) => !closesOnClickOutside && event.preventDefault()}
          // The library knows no opener, and would leave the focus on the body.
          onCloseAutoFocus={(event) => event.preventDefault()}
          {...(description === undefined && { 'aria-describedby': undefined })}
        >
          <div className="dialog-header">
            <Primitive.Title className="dialog-title">{toVisible(title)}</Primitive.Title>
            <Primitive.Close asChild>
              <Button look="quiet" icon="close" label="Close" />
            </Primitive.Close>
          </div>
          {description !== undefined && (
            <Primitive.Description asChild>
              <div className="dialog-description">{toVisible(description)}</div>
            </Primitive.Description>
          )}
          {children}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
};

/** Part of a dialog that scrolls. */
export const DialogBody = ({ children }: { readonly children: ReactNode }) => (
  <div className="dialog-body stack">{children}</div>
);

/** Buttons at the end of a dialog. */
export const DialogActions = ({ children }: { readonly children: ReactNode }) => (
  <div className="dialog-actions">{children}</div>
);
