import { cloneElement, lazy, Suspense, useState } from 'react';
import type { MenuProps } from './menu-entries.ts';

const load = () => import('./menu-popup.tsx').then(({ MenuPopup }) => ({ default: MenuPopup }));
const MenuPopup = lazy(load);

/** Shows a button that opens a menu. The code of menus is loaded when the pointer or the focus is on the button. */
export const Menu = (props: MenuProps) => {
  const [wanted, setWanted] = useState<'by-keyboard' | 'by-pointer'>();
  const button = cloneElement(props.trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerEnter: load,
    onFocus: load,
    onClick: ({ detail }) => {
      props.onOpen?.();
      // Clicks of the keyboard have no count.
      setWanted(detail === 0 ? 'by-keyboard' : 'by-pointer');
    },
  });
  return wanted !== undefined ? (
    <Suspense fallback={button}>
      <MenuPopup {...props} isFirstFocused={wanted === 'by-keyboard'} />
    </Suspense>
  ) : (
    button
  );
};
