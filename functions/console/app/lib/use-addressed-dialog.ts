import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Opens the dialog that the fragment of the address names, such as `#lock`, and removes the fragment: a reload opens nothing. */
export const useAddressedDialog = <N extends string>(names: readonly N[], open: (name: N) => void): void => {
  // While the next page is loading, its address is not that of this page.
  const fragment = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.hash });
  const wanted = names.find((name) => name === fragment);
  const navigate = useNavigate();
  useEffect(() => {
    if (wanted === undefined) return;
    navigate({ to: '.', search: true, replace: true });
    open(wanted);
  });
};
