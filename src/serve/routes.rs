//! What is at which address.

use std::sync::Arc;

use axum::{
    Router,
    extract::Path,
    http::{StatusCode, header},
    middleware,
    response::{Html, IntoResponse as _, Response},
    routing::get,
};

use super::{
    assets::{PAGE, asset},
    guard::{Guard, check},
    socket::{Socket, upgrade},
};

/// Everything there is, behind the guard.
pub(super) fn routes(guard: Arc<Guard>, socket: Arc<Socket>) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/session/{id}", get(page))
        .route("/catalog", get(page))
        .route("/assets/{name}", get(file))
        .route("/ws", get(upgrade).with_state(socket))
        .fallback(nothing)
        .layer(middleware::from_fn_with_state(guard, check))
}

async fn page() -> Html<&'static str> {
    Html(PAGE)
}

async fn file(Path(name): Path<String>) -> Response {
    match asset(&name) {
        Some(asset) => ([(header::CONTENT_TYPE, asset.kind)], asset.bytes).into_response(),
        None => nothing().await,
    }
}

async fn nothing() -> Response {
    (StatusCode::NOT_FOUND, "There is nothing here.\n").into_response()
}
