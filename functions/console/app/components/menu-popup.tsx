import * as Primitive from '@radix-ui/react-dropdown-menu';
import { type FocusEvent, type KeyboardEvent, useRef } from 'react';
import './menu.css';
import { Icon } from './icon.tsx';
import type { MenuEntry, MenuProps } from './menu-entries.ts';
import { toVisible } from './visible-text.tsx';

interface MenuPopupProps extends MenuProps {
  /** The menu was first opened by keyboard: its first entry gets the focus. Afterwards, the library decides. */
  readonly isFirstFocused: boolean;
}

/** Shows the button of a menu and, at first, the open menu. The menu is in the main landmark, as all content has to be. */
export const MenuPopup = ({ trigger, entries, align = 'end', onOpen, isFirstFocused }: MenuPopupProps) => {
  const focusesFirst = useRef(isFirstFocused);
  const focusFirst = ({ target, currentTarget }: FocusEvent<HTMLElement>) => {
    if (!focusesFirst.current || target !== currentTarget) return;
    focusesFirst.current = false;
    currentTarget.querySelector<HTMLElement>('[role^="menuitem"]:not([data-disabled])')?.focus();
  };
  return (
    <Primitive.Root defaultOpen modal={false} onOpenChange={(isOpen) => isOpen && onOpen?.()}>
      <Primitive.Trigger asChild>{trigger}</Primitive.Trigger>
      <Primitive.Portal container={document.querySelector('main')}>
        <Primitive.Content onFocus={focusFirst} align={align} sideOffset={4} collisionPadding={8} className="menu">
          {entries.map((entry, index) => (
            <Entry key={entry.kind === 'separator' ? index : entry.label} entry={entry} />
          ))}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
};

/** Moves the focus between the options of a choice, which stand next to each other. The library knows up and down. */
const moveAcross = ({ key, target }: KeyboardEvent<HTMLElement>) => {
  const option = target as HTMLElement;
  const next = { ArrowLeft: option.previousElementSibling, ArrowRight: option.nextElementSibling }[key];
  if (next instanceof HTMLElement) next.focus();
};

const Entry = ({ entry }: { readonly entry: MenuEntry }) => {
  switch (entry.kind) {
    case 'separator':
      return <Primitive.Separator className="menu-separator" />;
    case 'note':
      return <Primitive.Label className="menu-label">{toVisible(entry.label)}</Primitive.Label>;
    case 'item':
      return (
        // An entry that cannot be chosen can have the focus, so that everybody can read the reason.
        <Primitive.Item
          className={`menu-item${entry.isDangerous ? ' menu-item-danger' : ''}`}
          aria-disabled={entry.disabledReason !== undefined || undefined}
          aria-current={entry.isCurrent || undefined}
          onSelect={(event) => (entry.disabledReason === undefined ? entry.onSelect() : event.preventDefault())}
        >
          <span>
            {toVisible(entry.label)}
            {entry.disabledReason !== undefined && (
              <span className="menu-reason">{toVisible(entry.disabledReason)}</span>
            )}
          </span>
          {entry.isCurrent && <Icon name="check" />}
        </Primitive.Item>
      );
    case 'choice':
      return (
        <Primitive.RadioGroup
          value={entry.value}
          onValueChange={entry.onChange}
          aria-label={entry.label}
          className="menu-choice"
          onKeyDown={moveAcross}
        >
          <Primitive.Label className="menu-label">{entry.label}</Primitive.Label>
          <span className="menu-options">
            {entry.options.map(({ value, label }) => (
              <Primitive.RadioItem key={value} value={value} className="menu-item menu-option">
                {label}
              </Primitive.RadioItem>
            ))}
          </span>
        </Primitive.RadioGroup>
      );
  }
};
