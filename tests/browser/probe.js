// probe.js - gives drive.js the page's own state and engine; runs in the page.
import { app } from '../sites/heed/app.js';

window.probe = app;
