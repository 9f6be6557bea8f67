import { type ButtonHTMLAttributes, type Ref, type SyntheticEvent, useId } from 'react';
import './button.css';
import { Icon, type IconName } from './icon.tsx';
import { toVisible } from './visible-text.tsx';

type Look = 'primary' | 'secondary' | 'quiet' | 'danger' | 'quiet-danger';

const classOf = (look: Look, isIconOnly: boolean): string =>
  `button button-${look}${isIconOnly ? ' button-icon-only' : ''}`;

/** Distance of the reason from its button and from the edges of the window, in pixels. */
const GAP = 4;

/** Shows the reason next to a disabled button and inside the window, also while the button is scrolled. */
const showReason = ({ currentTarget: button }: SyntheticEvent) => {
  const reason = button.nextElementSibling as HTMLElement;
  const place = () => {
    if (!reason.matches(':popover-open')) {
      document.removeEventListener('scroll', place, true);
      return;
    }
    const { top, bottom, right } = button.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    const left = Math.min(right, clientWidth - GAP) - reason.offsetWidth;
    const isBelow = bottom + GAP + reason.offsetHeight <= clientHeight;
    reason.style.left = `${Math.max(GAP, left)}px`;
    reason.style.top = `${isBelow ? bottom + GAP : top - GAP - reason.offsetHeight}px`;
  };
  reason.togglePopover(true);
  place();
  document.addEventListener('scroll', place, true);
};

/** Hides the reason when neither the pointer nor the focus is on the button. */
const hideReason = ({ currentTarget: button }: SyntheticEvent) => {
  if (!button.matches(':hover, :focus')) (button.nextElementSibling as HTMLElement).hidePopover();
};

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled' | 'className'> {
  readonly ref?: Ref<HTMLButtonElement>;
  readonly look?: Look;
  readonly icon?: IconName;
  /** Label of a button that has only an icon. */
  readonly label?: string;
  readonly isPending?: boolean;
  /** Why the button cannot be used. The button stays focusable, so that everybody can read the reason. */
  readonly disabledReason?: string | undefined;
}

/**
 * Shows a button. Without `children` it has only an icon and needs a `label`. The reason of a disabled button is shown while
 * the pointer or the focus is on it.
 */
export const Button = ({
  look = 'secondary',
  icon,
  label,
  isPending = false,
  disabledReason,
  type = 'button',
  onClick,
  children,
  ...rest
}: ButtonProps) => {
  const reasonId = useId();
  const isDisabled = disabledReason !== undefined;
  return (
    // The element stays the same when the reason comes or goes, so that the button keeps the focus.
    <span className={isDisabled ? 'reasoned' : 'reasonless'}>
      <button
        {...rest}
        type={type}
        className={classOf(look, children === undefined)}
        {...(label !== undefined && { 'aria-label': label, title: label })}
        {...(isDisabled && {
          'aria-describedby': reasonId,
          onFocus: showReason,
          onMouseEnter: showReason,
          onBlur: hideReason,
          onMouseLeave: hideReason,
        })}
        aria-disabled={isDisabled || isPending || undefined}
        aria-busy={isPending || undefined}
        onClick={isDisabled || isPending ? (event) => event.preventDefault() : onClick}
      >
        {isPending ? <span className="spinner" /> : icon !== undefined && <Icon name={icon} />}
        {children}
      </button>
      {isDisabled && (
        <span className="reason" role="tooltip" id={reasonId} popover="manual">
          {toVisible(disabledReason)}
        </span>
      )}
    </span>
  );
};
