/** `spawn` that also starts the scripts of npm on Windows. Its package has no types. */
declare module 'cross-spawn' {
  import { spawn } from 'node:child_process';
  export default spawn;
}
