import * as Primitive from '@radix-ui/react-dropdown-menu';
import './menu.css';
import { Icon } from './icon.tsx';
import type { MenuEntry, MenuProps } from './menu-entries.ts';

/** Shows the button of a menu and, at first, the open menu. The menu is in the main landmark, as all content has to be. */
export const MenuPopup = ({ trigger, entries, align = 'end', onOpen }: MenuProps) => (
  <Primitive.Root defaultOpen modal={false} onOpenChange={(isOpen) => isOpen && onOpen?.()}>
    <Primitive.Trigger asChild>{trigger}</Primitive.Trigger>
    <Primitive.Portal container={document.querySelector('main')}>
      <Primitive.Content align={align} sideOffset={4} collisionPadding={8} className="menu">
        {entries.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: separators have nothing else that identifies them
          <Entry key={index} entry={entry} />
        ))}
      </Primitive.Content>
    </Primitive.Portal>
  </Primitive.Root>
);

const Entry = ({ entry }: { readonly entry: MenuEntry }) => {
  switch (entry.kind) {
    case 'separator':
      return <Primitive.Separator className="menu-separator" />;
    case 'note':
      return <Primitive.Label className="menu-label">{entry.label}</Primitive.Label>;
    case 'item':
      return (
        <Primitive.Item
          className={`menu-item${entry.isDangerous ? ' menu-item-danger' : ''}`}
          disabled={entry.reason !== undefined}
          onSelect={entry.onSelect}
        >
          <span>
            {entry.label}
            {entry.reason !== undefined && <span className="menu-reason">{entry.reason}</span>}
          </span>
        </Primitive.Item>
      );
    case 'choice':
      return (
        <Primitive.RadioGroup value={entry.value} onValueChange={entry.onChange} aria-label={entry.label}>
          <Primitive.Label className="menu-label">{entry.label}</Primitive.Label>
          {entry.options.map(({ value, label }) => (
            <Primitive.RadioItem key={value} value={value} className="menu-item">
              <span className="menu-mark">
                <Primitive.ItemIndicator>
                  <Icon name="check" />
                </Primitive.ItemIndicator>
              </span>
              {label}
            </Primitive.RadioItem>
          ))}
        </Primitive.RadioGroup>
      );
  }
};
