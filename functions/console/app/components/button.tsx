import { type ButtonHTMLAttributes, type MouseEvent, type Ref, type SyntheticEvent, useId } from 'react';
import './button.css';
import { Icon, type IconName } from './icon.tsx';
import { toVisible } from './visible-text.tsx';

type Look = 'primary' | 'secondary' | 'quiet' | 'danger' | 'secondary-danger' | 'quiet-danger';

const classOf = (look: Look, isIconOnly: boolean): string =>
  `button button-${look}${isIconOnly ? ' button-icon-only' : ''}`;

/** Distance of the reason from its button and from the edges of the window, in pixels. */
const GAP = 4;

/**
 * Shows the reason next to a disabled button and inside the window, also while the button is scrolled. So that it
 * covers nothing that the button is about, it is above a button of a header and below all others. A press elsewhere or Escape
 * hides it.
 */
const showReason = ({ currentTarget: button }: SyntheticEvent) => {
  const reason = button.nextElementSibling as HTMLElement;
  const place = () => {
    if (!reason.matches(':popover-open')) {
      document.removeEventListener('scroll', place, true);
      return;
    }
    const { top, bottom, left, right } = button.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    const [above, below] = [top - GAP - reason.offsetHeight, bottom + GAP];
    const fitsBelow = below + reason.offsetHeight <= clientHeight;
    const isAbove = above >= 0 && (!fitsBelow || button.closest('header') !== null);
    const start = right - reason.offsetWidth < GAP ? left : right - reason.offsetWidth;
    reason.style.left = `${Math.max(GAP, Math.min(start, clientWidth - GAP - reason.offsetWidth))}px`;
    reason.style.top = `${isAbove ? above : below}px`;
  };
  reason.togglePopover(true);
  place();
  document.addEventListener('scroll', place, true);
};

/** Hides the reason when the pointer leaves the button and the reason, unless the button has the focus. */
const leaveReason = ({ currentTarget, relatedTarget }: MouseEvent) => {
  const whole = currentTarget.parentElement;
  if (whole?.matches(':focus-within') || (relatedTarget instanceof Node && whole?.contains(relatedTarget))) return;
  whole?.querySelector<HTMLElement>('.reason')?.hidePopover();
};

/** Hides the reason when the button loses the focus. */
const hideReason = ({ currentTarget: button }: SyntheticEvent) =>
  (button.nextElementSibling as HTMLElement).hidePopover();

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled' | 'className'> {
  readonly ref?: Ref<HTMLButtonElement>;
  readonly look?: Look;
  readonly icon?: IconName;
  /** Label of a button that has only an icon. */
  readonly label?: string;
  readonly isPending?: boolean;
  /** Reason why the button cannot be used. The button stays focusable, so that everybody can read the reason. */
  readonly disabledReason?: string | undefined;
}

/**
 * Shows a button. Without `children` it has only an icon and needs a `label`. The reason of a disabled button is shown while
 * the pointer or the focus is on it, and after a tap. Screen readers read it as the description of the button.
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
  const refuse = (event: SyntheticEvent) => {
    event.preventDefault();
    // Not every touch screen reports a tap as a pointer or gives the focus to what was tapped.
    if (isDisabled) showReason(event);
  };
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
          onMouseLeave: leaveReason,
        })}
        aria-disabled={isDisabled || isPending || undefined}
        aria-busy={isPending || undefined}
        onClick={isDisabled || isPending ? refuse : onClick}
      >
        {isPending ? <span className="spinner" /> : icon !== undefined && <Icon name={icon} />}
        {children}
      </button>
      {isDisabled && (
        <span className="reason" role="tooltip" id={reasonId} popover="auto" onMouseLeave={leaveReason}>
          {toVisible(disabledReason)}
        </span>
      )}
    </span>
  );
};
