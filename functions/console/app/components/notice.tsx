import type { ReactNode } from 'react';
import { isTransient } from '../../../../shared/client/errors.ts';
import { errorDetails, errorTitle } from '../api/errors.ts';
import './notice.css';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

type Kind = 'info' | 'warning' | 'danger' | 'success';

interface NoticeProps {
  readonly kind: Kind;
  readonly title?: ReactNode;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
  /** Announced to screen readers when it appears. */
  readonly isLive?: boolean;
}

/** Shows a message in the flow of the page. */
export const Notice = ({ kind, title, children, actions, isLive = false }: NoticeProps) => (
  <div
    className={`notice notice-${kind}`}
    {...(isLive && { role: kind === 'danger' || kind === 'warning' ? 'alert' : 'status' })}
  >
    <Icon name={kind === 'success' ? 'check' : kind === 'info' ? 'info' : 'warning'} />
    <div className="notice-content">
      {title !== undefined && <p className="notice-title">{title}</p>}
      {children}
      {actions !== undefined && <div className="cluster notice-actions">{actions}</div>}
    </div>
  </div>
);

/** Shows why a request failed, and lets the user repeat it if that can help. */
export const ErrorNotice = ({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) => (
  <Notice
    kind="danger"
    title={errorTitle(error)}
    isLive
    {...(onRetry !== undefined && isTransient(error) && { actions: <Button onClick={onRetry}>Try again</Button> })}
  >
    {errorDetails(error).map((detail) => (
      <p key={detail}>{detail}</p>
    ))}
  </Notice>
);
