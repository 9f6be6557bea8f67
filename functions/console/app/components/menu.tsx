import { cloneElement, lazy, Suspense, useState } from 'react';
import type { MenuProps } from './menu-entries.ts';

const load = () => import('./menu-popup.tsx').then(({ MenuPopup }) => ({ default: MenuPopup }));
const MenuPopup = lazy(load);

/** Shows a button that opens a menu. The code of menus is loaded when the pointer or the focus is on the button. */
export const Menu = (props: MenuProps) => {
  const [isWanted, setWanted] = useState(false);
  const button = cloneElement(props.trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerEnter: load,
    onFocus: load,
    onClick: () => {
      props.onOpen?.();
      setWanted(true);
    },
  });
  return isWanted ? (
    <Suspense fallback={button}>
      <MenuPopup {...props} />
    </Suspense>
  ) : (
    button
  );
};
