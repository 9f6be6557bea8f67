import type { MouseEvent, ReactElement } from 'react';

/** An entry of a menu. */
export type MenuEntry =
  | {
      readonly kind: 'item';
      readonly label: string;
      readonly onSelect: () => void;
      readonly isDangerous?: boolean;
      /** It leads to what the page shows, and has a tick. */
      readonly isCurrent?: boolean;
      /** Reason why it cannot be chosen. The entry shows it. */
      readonly disabledReason?: string | undefined;
    }
  /** One value of a few, which stand next to each other. */
  | {
      readonly kind: 'choice';
      readonly label: string;
      readonly value: string;
      readonly options: readonly { readonly value: string; readonly label: string }[];
      readonly onChange: (value: string) => void;
    }
  | { readonly kind: 'note'; readonly label: string }
  | { readonly kind: 'separator' };

interface TriggerProps {
  readonly onClick?: (event: MouseEvent) => void;
  readonly onPointerEnter?: () => void;
  readonly onFocus?: () => void;
  readonly 'aria-haspopup'?: 'menu';
  readonly 'aria-expanded'?: boolean;
}

/** A menu with the button that opens it. */
export interface MenuProps {
  /** The button that opens the menu. */
  readonly trigger: ReactElement<TriggerProps>;
  readonly entries: readonly MenuEntry[];
  readonly align?: 'start' | 'end';
  readonly onOpen?: () => void;
}
