/** The pages of a workspace, which are loaded together: one script is smaller than a script for each page (docs/decisions/0072). */
export { AccessPage } from './access-page.tsx';
export { ConsumersPage } from './consumers-page.tsx';
export { HistoryPage } from './history-page.tsx';
export { OverviewPage } from './overview-page.tsx';
export { RunPage } from './run-page.tsx';
export { RunsPage } from './runs-page.tsx';
export { SettingsPage } from './settings-page.tsx';
export { StatePage } from './state/state-page.tsx';
export { StateVersionPage } from './state/state-version-page.tsx';
export { VariablesPage } from './variables-page.tsx';
export { WorkspaceLayout } from './workspace-layout.tsx';
