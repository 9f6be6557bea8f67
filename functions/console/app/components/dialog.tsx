import * as Primitive from '@radix-ui/react-dialog';
import { type ReactNode, useState } from 'react';
import { rememberOpener } from '../lib/focus.ts';
import './dialog.css';
import { Button } from './button.tsx';
import { toVisible } from './visible-text.tsx';

interface DialogProps {
  readonly title: ReactNode;
  readonly description?: ReactNode;
  readonly onClose: () => void;
  readonly size?: 'small' | 'medium';
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

/**
 * Shows a modal dialog while it is rendered. It keeps the focus, closes with Escape, and returns the focus to the control
 * that opened it.
 */
export const Dialog = ({ title, description, onClose, size = 'small', children }: DialogProps) => {
  const [setOpener] = useState(rememberOpener);
  return (
    <Primitive.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Primitive.Portal>
        {/* The overlay of the library locks scrolling with a style element, which the Content-Security-Policy forbids. */}
        <div className="dialog-backdrop" />
        <Primitive.Content
          ref={setOpener}
          className={`dialog dialog-${size}`}
          onOpenAutoFocus={focusField}
          // The library knows no opener, and would leave the focus on the body.
          onCloseAutoFocus={(event) => event.preventDefault()}
          {...(description === undefined && { 'aria-describedby': undefined })}
        >
          <header className="dialog-header">
            <Primitive.Title className="dialog-title">{toVisible(title)}</Primitive.Title>
            <Primitive.Close asChild>
              <Button look="quiet" icon="close" label="Close" />
            </Primitive.Close>
          </header>
          {description !== undefined && (
            <Primitive.Description asChild>
              <div className="dialog-description">{description}</div>
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
  <footer className="dialog-actions">{children}</footer>
);
